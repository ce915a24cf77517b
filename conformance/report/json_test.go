package report

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance"
)

const schemaFile = "schema/report.schema.json"

func encodedJSON(t *testing.T, rep *conformance.Report) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, encodeJSON(&out, rep, Screen{}))
	return out.Bytes()
}

func TestJSONRoundTrip(t *testing.T) {
	text := encodedJSON(t, sample())
	var back conformance.Report
	require.NoError(t, json.Unmarshal(text, &back))
	again := encodedJSON(t, &back)
	assert.Equal(t, string(text), string(again), "the same report gives the same bytes")
	assert.Equal(t, sample().Requirements[3], back.Requirements[3])
}

func TestJSONKeepsHTMLReadable(t *testing.T) {
	rep := allPass()
	rep.Errors = []string{"<html> & co"}
	assert.Contains(t, string(encodedJSON(t, rep)), `"<html> & co"`)
}

func TestJSONSatisfiesItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	require.NoError(t, err)
	validate := func(text []byte) error {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		require.NoError(t, err)
		return schema.Validate(value)
	}
	for name, rep := range map[string]*conformance.Report{
		"every verdict": sample(),
		"all pass":      allPass(),
		"nothing":       {SchemaVersion: conformance.SchemaVersion},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, validate(encodedJSON(t, rep)))
		})
	}
	for name, change := range map[string]func(*conformance.Report){
		"another schema version": func(r *conformance.Report) { r.SchemaVersion = 2 },
		"an unknown verdict":     func(r *conformance.Report) { r.Requirements[0].Verdict = "green" },
		"an unknown exit code":   func(r *conformance.Report) { r.ExitCode = 7 },
		"an unknown level":       func(r *conformance.Report) { r.Requirements[0].Level = "must" },
		"an unknown total":       func(r *conformance.Report) { r.Totals["green"] = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			rep := sample()
			change(rep)
			require.Error(t, validate(encodedJSON(t, rep)))
		})
	}
}

// A field that is added to the report has to be described as well.
func TestSchemaNamesEveryField(t *testing.T) {
	text, err := os.ReadFile(schemaFile)
	require.NoError(t, err)
	var schema struct {
		object
		Defs map[string]object `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(text, &schema))
	nested := func(o object, names ...string) object {
		for _, name := range names {
			o = o.Properties[name]
			if o.Items != nil {
				o = *o.Items
			}
		}
		return o
	}
	evidence := schema.Defs["evidence"]
	scenario, _ := reflect.TypeFor[conformance.ScenarioResult]().FieldByName("Evidence")
	timeline, _ := scenario.Type.Elem().FieldByName("Timeline")
	for typ, described := range map[reflect.Type]object{
		reflect.TypeFor[conformance.Report]():            schema.object,
		reflect.TypeFor[conformance.Suite]():             nested(schema.object, "suite"),
		reflect.TypeFor[conformance.ReportTarget]():      nested(schema.object, "target"),
		reflect.TypeFor[conformance.RequirementResult](): schema.Defs["requirement"],
		reflect.TypeFor[conformance.ScenarioResult]():    schema.Defs["scenario"],
		scenario.Type.Elem():                             evidence,
		timeline.Type.Elem():                             nested(evidence, "timeline"),
	} {
		var always []string
		for i := range typ.NumField() {
			name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			assert.Contains(t, described.Properties, name, typ.Name())
			if !strings.Contains(options, "omitempty") {
				always = append(always, name)
			}
		}
		assert.Len(t, described.Properties, typ.NumField(), typ.Name())
		assert.ElementsMatch(t, always, described.Required, typ.Name())
	}
}

type object struct {
	Properties map[string]object `json:"properties"`
	Required   []string          `json:"required"`
	Items      *object           `json:"items"`
}
