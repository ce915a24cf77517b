package gateway

import (
	"net/http"
	"strconv"

	"plumbline.dev/plumbline/reference/credits"
)

// showCredits serves GET /v1/credits: the balance and the last charges of an
// organization.
func (f *face) showCredits(w http.ResponseWriter, r *http.Request) {
	who, e := f.authenticate(r)
	if e != nil {
		f.refuse(w, r, e)
		return
	}
	writeJSON(w, http.StatusOK, appendStatement(nil, f.book.Statement(who.Org)))
}

// appendStatement appends the state of an organization's credits as one line of
// JSON. Its amounts have all their digits, unlike those of telemetry: a charge
// must not vanish in the rounding of a large balance. Without a balance,
// balanceUsd is null.
func appendStatement(buf []byte, s credits.Statement) []byte {
	buf = append(buf, `{"object":"credits","balanceUsd":`...)
	if s.Limited {
		buf = append(buf, s.Balance.String()...)
	} else {
		buf = append(buf, "null"...)
	}
	buf = append(buf, `,"charges":[`...)
	for i, e := range s.Charges {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(buf, `{"id":`...)
		buf = appendJSON(buf, e.ID)
		buf = append(buf, `,"model":`...)
		buf = appendJSON(buf, e.Model)
		buf = append(buf, `,"usd":`...)
		buf = append(buf, e.USD.String()...)
		buf = append(buf, `,"at":`...)
		buf = strconv.AppendInt(buf, e.At.UnixMilli(), 10)
		buf = append(buf, `,"kind":`...)
		buf = appendJSON(buf, e.Kind)
		buf = append(buf, '}')
	}
	return append(buf, "]}\n"...)
}
