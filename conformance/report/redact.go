package report

import (
	"encoding/base64"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"plumbline.dev/plumbline/conformance"
)

const (
	mask = "[redacted]"
	// minBase64 is the length of encoded text below which it means nothing.
	minBase64 = 8
)

// Redactor takes secrets out of texts. A nil Redactor knows no secret and
// masks only what looks like one.
type Redactor struct {
	secrets []string // the longest first: one may begin like another
	base64  *strings.Replacer
}

// shapes are texts that are a credential by their form. It is never written to.
var shapes = []struct {
	pattern *regexp.Regexp
	with    string
}{
	// With a digit in it, or long: "Bearer authentication" is prose.
	{regexp.MustCompile(`(?i)\b(bearer(?:\s+|%20|\+))(?:[\w.~+/=%-]*\d[\w.~+/=%-]*|[\w.~+/=%-]{20,})`), "${1}" + mask},
	{regexp.MustCompile(`(?i)\b(authorization["']?\s*[:=]\s*["']?basic\s+)[\w+/=-]+`), "${1}" + mask},
	{regexp.MustCompile(`(?i)\b((?:x-)?api[-_]key["']?\s*[:=]\s*["']?)[^\s"'\[$,&]{4,}`), "${1}" + mask},
	{regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{8,}`), "sk-" + mask},
	{regexp.MustCompile(`(://)[^\s/@:"']+:[^\s/@"']+@`), "${1}" + mask + "@"},
}

// NewRedactor returns a redactor for these secrets, as they are and in the
// forms in which they travel: percent-coded, JSON- and HTML-escaped, base64.
// Empty secrets are ignored.
func NewRedactor(secrets ...string) *Redactor {
	r := &Redactor{}
	var pairs []string
	for _, secret := range secrets {
		if secret == "" {
			continue
		}
		r.secrets = append(r.secrets, secret)
		for _, form := range base64Forms(secret) {
			pairs = append(pairs, form, mask)
		}
	}
	slices.SortFunc(r.secrets, func(a, b string) int { return len(b) - len(a) })
	r.base64 = strings.NewReplacer(pairs...)
	return r
}

// Text returns text with every secret masked.
func (r *Redactor) Text(text string) string {
	if r != nil {
		for _, secret := range r.secrets {
			text = maskEscaped(text, secret)
		}
		text = r.base64.Replace(text)
	}
	for _, shape := range shapes {
		text = shape.pattern.ReplaceAllString(text, shape.with)
	}
	return text
}

// Report returns a copy of rep with every text in it masked.
func (r *Redactor) Report(rep *conformance.Report) *conformance.Report {
	clean := r.copy(reflect.ValueOf(rep)).Interface()
	return clean.(*conformance.Report)
}

// copy walks any value, so that a field which is added later is masked too.
func (r *Redactor) copy(in reflect.Value) reflect.Value {
	out := reflect.New(in.Type()).Elem()
	out.Set(in)
	switch in.Kind() {
	case reflect.String:
		if in.Type() == reflect.TypeFor[string]() { // a verdict is no text
			out.SetString(r.Text(in.String()))
		}
	case reflect.Pointer:
		if !in.IsNil() {
			out.Set(reflect.New(in.Type().Elem()))
			out.Elem().Set(r.copy(in.Elem()))
		}
	case reflect.Struct:
		for i := range in.NumField() {
			if in.Type().Field(i).IsExported() {
				out.Field(i).Set(r.copy(in.Field(i)))
			}
		}
	case reflect.Slice:
		if !in.IsNil() {
			out.Set(reflect.MakeSlice(in.Type(), in.Len(), in.Len()))
			for i := range in.Len() {
				out.Index(i).Set(r.copy(in.Index(i)))
			}
		}
	case reflect.Map:
		if !in.IsNil() {
			out.Set(reflect.MakeMapWithSize(in.Type(), in.Len()))
			for entry := in.MapRange(); entry.Next(); {
				out.SetMapIndex(r.copy(entry.Key()), r.copy(entry.Value()))
			}
		}
	}
	return out
}

// base64Forms are the texts that hold the secret inside base64. What stands
// before it decides how its bits fall on the letters, in one of three ways;
// letters that hold bits of its neighbours are left out.
func base64Forms(secret string) []string {
	var forms []string
	for before := range 3 {
		padded := append(make([]byte, before), secret...)
		from, to := (before*8+5)/6, len(padded)*8/6
		if to-from < minBase64 {
			continue
		}
		standard := base64.RawStdEncoding.EncodeToString(padded)[from:to]
		forms = append(forms, standard, base64.RawURLEncoding.EncodeToString(padded)[from:to], url.QueryEscape(standard))
	}
	return forms
}
