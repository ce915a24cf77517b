package telemetry

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/cockroachdb/apd/v3"

	"plumbline.dev/plumbline/reference/price"
)

// object writes a JSON object. Amounts and ratios must not pass through floats,
// and the order of the keys is part of what clients see.
type object []byte

func (o *object) key(name string) {
	if (*o)[len(*o)-1] != '{' {
		*o = append(*o, ',')
	}
	*o = append(append(append(*o, '"'), name...), '"', ':')
}

func (o *object) integer(name string, value int64) {
	o.key(name)
	*o = strconv.AppendInt(*o, value, 10)
}

func (o *object) text(name, value string) {
	o.key(name)
	literal, err := json.Marshal(value)
	if err != nil { // strings always marshal
		literal = []byte(`""`)
	}
	*o = append(*o, literal...)
}

// textOrNull writes null for "".
func (o *object) textOrNull(name, value string) {
	if value == "" {
		o.null(name)
		return
	}
	o.text(name, value)
}

func (o *object) null(name string) {
	o.key(name)
	*o = append(*o, "null"...)
}

func (o *object) money(name string, amount price.Money) {
	o.key(name)
	*o = amount.AppendJSON(*o)
}

// milliseconds writes a time to the microsecond, null if there was none.
func (o *object) milliseconds(name string, d time.Duration) {
	if d <= 0 {
		o.null(name)
		return
	}
	o.float(name, float64(d.Microseconds())/1000)
}

// float is for figures that are no money and no share of anything counted.
func (o *object) float(name string, value float64) {
	o.key(name)
	*o = strconv.AppendFloat(*o, value, 'f', -1, 64)
}

// ratio writes part of whole, 0 of nothing, with as many digits as an amount.
func (o *object) ratio(name string, part, whole int64) {
	if whole <= 0 || part <= 0 {
		o.integer(name, 0)
		return
	}
	const digits = 12
	share := new(apd.Decimal)
	// It fails for a whole of zero alone.
	_, _ = apd.BaseContext.WithPrecision(digits).Quo(share, apd.New(part, 0), apd.New(whole, 0))
	share.Reduce(share)
	o.key(name)
	*o = append(*o, share.Text('f')...)
}
