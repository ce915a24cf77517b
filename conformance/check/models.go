package check

import (
	"fmt"
	"math/big"
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/wire"
)

// Models is the answer to GET /v1/models.
type Models struct {
	document
	List []Model
}

// Model is one model of the list.
type Model struct {
	ID     string
	object object
}

// ParseModels reads a list of models. It never fails: what it cannot read is
// for the rules to judge.
func ParseModels(t *wire.Transcript, keys ...string) *Models {
	m := &Models{document: parseDocument(t, keys)}
	for _, v := range list(m.body.get("data")) {
		o, _ := asObject(v)
		m.List = append(m.List, Model{ID: text(o.get("id")), object: o})
	}
	return m
}

// Price returns a price of the model, exactly as it is written: US dollars for a
// million tokens. It is nil if key is not there or no number of a sane length.
func (m Model) Price(key string) *big.Rat {
	v := m.object.get(key)
	if v.Type != gjson.Number || !saneNumber(v.Raw) {
		return nil
	}
	price, ok := new(big.Rat).SetString(v.Raw)
	if !ok {
		return nil
	}
	return price
}

// saneNumber keeps numbers away whose exact value would fill the memory.
func saneNumber(raw string) bool {
	digits, exponent, has := strings.Cut(strings.ToLower(raw), "e")
	if !has {
		exponent = "0"
	}
	e, err := strconv.Atoi(strings.TrimPrefix(exponent, "+"))
	return err == nil && len(digits) <= 64 && e >= -64 && e <= 64
}

// ModelsList: the answer has the list shape of OpenAI, with at least one model
// and each with its own id.
func (m *Models) ModelsList() []Finding {
	n := m.notes("ModelsList")
	m.status(n, http.StatusOK)
	m.json(n)
	if !m.ok {
		return n.found
	}
	if v := m.body.get("object"); text(v) != "list" {
		n.body("object list", "object "+seen(v))
	}
	if len(m.List) == 0 {
		n.body("data as a list of models", "data "+seen(m.body.get("data")))
	}
	ids := map[string]bool{}
	for i, model := range m.List {
		bad := func(expected, seen string) { n.body(fmt.Sprintf("data[%d].%s", i, expected), seen) }
		breaks(model.object, []field{
			{"id", aString, true}, {"object", aString, true}, {"created", anInt, true}, {"owned_by", aString, true},
		}, bad)
		if v := model.object.get("object"); v.Type == gjson.String && text(v) != "model" {
			bad("object model", seen(v))
		}
		if ids[model.ID] {
			bad("id of its own", model.ID)
		}
		ids[model.ID] = true
	}
	return n.found
}

// ModelPrices: each model has costPerMillionCacheRead and
// costPerMillionCacheWrite, numbers of 0 or more: a price of 0 is a price.
func (m *Models) ModelPrices() []Finding {
	return m.prices("ModelPrices", "costPerMillionCacheRead", "costPerMillionCacheWrite")
}

// ModelTokenPrices: each model has costPerMillionInput and costPerMillionOutput.
func (m *Models) ModelTokenPrices() []Finding {
	return m.prices("ModelTokenPrices", "costPerMillionInput", "costPerMillionOutput")
}

func (m *Models) prices(rule string, keys ...string) []Finding {
	n := m.notes(rule)
	if len(m.List) == 0 {
		n.body("a model with "+strings.Join(keys, " and "), "no model")
	}
	for _, model := range m.List {
		for _, key := range keys {
			if p := model.Price(key); p == nil || p.Sign() < 0 {
				n.body(fmt.Sprintf("%s of %s as a number of 0 or more", key, model.ID), seen(model.object.get(key)))
			}
		}
	}
	return n.found
}

// PriceOrder: a cache write costs more than an input token, and a cache read
// less. It needs costPerMillionInput, which the documents do not name. Of a model
// that costs nothing at all nothing can cost more.
func (m *Models) PriceOrder() []Finding {
	n := m.notes("PriceOrder")
	if len(m.List) == 0 {
		n.body("a model with prices", "no model")
	}
	for _, model := range m.List {
		input := model.Price("costPerMillionInput")
		read, write := model.Price("costPerMillionCacheRead"), model.Price("costPerMillionCacheWrite")
		switch {
		case model.Prices().free():
		case read == nil || write == nil:
			n.body("prices of "+model.ID+" that can be compared", "cache read or cache write has none")
		case read.Cmp(write) >= 0:
			n.body("a cache read of "+model.ID+" cheaper than a cache write", read.RatString()+" and "+write.RatString())
		case input == nil: // it stands between the two or cannot be judged
		case write.Cmp(input) <= 0:
			n.body("a cache write of "+model.ID+" dearer than an input token", write.RatString()+" and "+input.RatString())
		case read.Cmp(input) >= 0:
			n.body("a cache read of "+model.ID+" cheaper than an input token", read.RatString()+" and "+input.RatString())
		}
	}
	return n.found
}

// ModelsRule is a rule for the list of models.
type ModelsRule struct {
	Name  string
	Rows  []string
	Judge func(*Models) []Finding
}

// ModelsRules lists them.
func ModelsRules() []ModelsRule {
	return []ModelsRule{
		{"ModelsList", []string{"mortar-models-01"}, (*Models).ModelsList},
		{"ModelPrices", []string{"mortar-models-01"}, (*Models).ModelPrices},
		{"ModelTokenPrices", []string{"mortar-models-02"}, (*Models).ModelTokenPrices},
		{"PriceOrder", []string{"mortar-models-03"}, (*Models).PriceOrder},
	}
}
