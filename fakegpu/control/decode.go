package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"plumbline.dev/plumbline/fakegpu/names"
)

// DecodeScript reads a script from JSON and validates it. Unknown fields are
// errors that name the step and the nearest known field.
func DecodeScript(data []byte) (Script, error) {
	if len(data) > MaxScriptBytes {
		return Script{}, fmt.Errorf("script of %d bytes, at most %d are allowed", len(data), MaxScriptBytes)
	}
	// The steps are decoded one by one, so that an error can name its step.
	var outer struct {
		scriptFields
		Steps []json.RawMessage `json:"steps"`
	}
	if err := decodeStrict(data, &outer); err != nil {
		return Script{}, fmt.Errorf("script: %w", err)
	}
	if len(outer.Steps) > MaxSteps {
		return Script{}, fmt.Errorf("script: %d steps, at most %d are allowed", len(outer.Steps), MaxSteps)
	}
	s := Script(outer.scriptFields)
	s.Steps = make([]Step, len(outer.Steps))
	for i, raw := range outer.Steps {
		if err := decodeStrict(raw, &s.Steps[i]); err != nil {
			return Script{}, fmt.Errorf("script: steps[%d]: %w", i, err)
		}
	}
	return s, s.Validate()
}

// scriptFields is Script without its methods; an outer field Steps hides its own.
type scriptFields Script

// decodeStrict decodes exactly one JSON value and refuses unknown fields.
func decodeStrict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return explain(err, into)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("something follows the JSON value at byte %d", d.InputOffset())
	}
	return nil
}

// explain adds to an error of encoding/json what would be right.
func explain(err error, into any) error {
	if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		field = strings.Trim(field, `"`)
		return fmt.Errorf("unknown field %q%s", field, names.Hint(field, fieldNames(reflect.TypeOf(into).Elem())))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("the JSON ends too early")
	}
	return err
}

// fieldNames lists the JSON names of a struct's fields and of the structs in it.
func fieldNames(t reflect.Type) []string {
	var found []string
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			found = append(found, name)
		}
		found = append(found, fieldNames(f.Type)...)
	}
	return found
}

// DecodeAwait reads the body of an await call of the control API.
func DecodeAwait(data []byte) (AwaitRequest, error) {
	var a AwaitRequest
	if err := decodeStrict(data, &a); err != nil {
		return AwaitRequest{}, fmt.Errorf("condition: %w", err)
	}
	for name, value := range map[string]int{
		"requests": a.Requests, "request": a.Request, "generated": a.Generated, "waitMs": a.WaitMS,
	} {
		if value < 0 {
			return AwaitRequest{}, fmt.Errorf("condition: %s is %d, want 0 or more", name, value)
		}
	}
	return a, nil
}
