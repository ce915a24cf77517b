package target

import (
	"fmt"
	"strings"
)

// Overlay is what one source sets; what it does not set shows the source
// below. The zero Overlay sets nothing.
type Overlay struct {
	values map[string]value // by Setting.Key
}

// value is what was written, not yet understood, so that all sources are read
// and judged by the same code.
type value struct {
	texts []string // one text unless the setting is a list
	env   string   // the variable that holds the text: {env: NAME}
	where string   // plumbline.yaml:12, PLUMBLINE_KEY, --key
}

func (o *Overlay) set(key string, v value) {
	if o.values == nil {
		o.values = make(map[string]value)
	}
	o.values[key] = v
}

// over returns o with what upper sets on top. A model server is named either
// by modelServer or by control, so that each of them hides the other below it.
func (o Overlay) over(lower Overlay) Overlay {
	var merged Overlay
	_, server := o.values["modelServer"]
	_, control := o.values["control"]
	for key, v := range lower.values {
		if (server || control) && (key == "modelServer" || key == "control") {
			continue
		}
		merged.set(key, v)
	}
	for key, v := range o.values {
		merged.set(key, v)
	}
	return merged
}

// Flag returns the flag of a setting, which writes into the overlay when the
// flag is given. It has the methods of pflag.Value and of flag.Value.
func (o *Overlay) Flag(s Setting) *Flag {
	return &Flag{overlay: o, setting: s}
}

// Flag is one command-line flag.
type Flag struct {
	overlay *Overlay
	setting Setting
}

// Set takes the text behind the flag. A list takes one entry each time.
func (f *Flag) Set(text string) error {
	v := value{texts: []string{text}, where: "--" + f.setting.Flag}
	if text == "" {
		return fmt.Errorf("%s is empty", v.where)
	}
	if before, given := f.overlay.values[f.setting.Key]; given && f.setting.Kind == List {
		v.texts = append(before.texts, text)
	}
	f.overlay.set(f.setting.Key, v)
	return nil
}

// String returns the default, which is always "": a flag that is not given
// shows what the environment or the file say.
func (f *Flag) String() string { return "" }

// Type names what the flag takes, for --help.
func (f *Flag) Type() string { return string(f.setting.Kind) }

// IsBoolFlag lets the standard flag package accept the flag without a text.
func (f *Flag) IsBoolFlag() bool { return f.setting.Kind == Bool }

// fromEnv reads the variables that are set and not empty: a CI system sets
// secrets that a build may not see to "".
func fromEnv(environ []string) Overlay {
	var o Overlay
	for _, s := range Settings() {
		text := lookup(environ, s.Env)
		if text == "" {
			continue
		}
		v := value{texts: []string{text}, where: s.Env}
		if s.Kind == List {
			v.texts = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
		}
		o.set(s.Key, v)
	}
	return o
}

// lookup returns a variable's text; of several equal names the last counts,
// as it does for os/exec.
func lookup(environ []string, name string) string {
	found := ""
	for _, entry := range environ {
		if key, text, ok := strings.Cut(entry, "="); ok && key == name {
			found = text
		}
	}
	return found
}
