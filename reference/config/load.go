package config

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// envPrefix begins the variables that hold settings.
const envPrefix = "PLUMBLINE_GATEWAY_"

// configFlag names the settings file.
const configFlag = "config"

// Source is where settings come from besides the defaults.
type Source struct {
	// Flags are the command line's, as [BindFlags] declared them; nil is none.
	Flags *pflag.FlagSet
	// Environ is the environment as NAME=value, like [os.Environ].
	Environ []string
}

// Load puts the settings together: defaults, the file that the flag --config or
// the variable PLUMBLINE_GATEWAY_CONFIG names, variables, flags. The error lists
// everything that is wrong.
func Load(src Source) (*Config, error) {
	c := Default(ProfileMortar)
	env := environment(src.Environ)
	path := env[envPrefix+"CONFIG"]
	if v, ok := flagValue(src.Flags, configFlag); ok {
		path = v
	}
	where := func(string) string { return "" }
	if path != "" {
		r, err := readFile(c, path, func(name string) string { return env[name] })
		if err != nil {
			return nil, err
		}
		where = r.where
	}
	p := checkVariables(env)
	for _, s := range settings() {
		if value := env[s.variable()]; value != "" {
			p.from(s.variable(), s.set(c, value))
		}
		if value, ok := flagValue(src.Flags, s.flag); ok {
			p.from("--"+s.flag, s.set(c, value))
		}
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	p = c.complete()
	for i := range p {
		p[i].place = where(p[i].path)
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return c, nil
}

func (p *problems) from(path string, err error) {
	if err != nil {
		p.add(path, "%v", err)
	}
}

func flagValue(flags *pflag.FlagSet, name string) (string, bool) {
	if flags == nil {
		return "", false
	}
	flag := flags.Lookup(name)
	if flag == nil || !flag.Changed {
		return "", false
	}
	return flag.Value.String(), true
}

// environment indexes the variables; an empty one is the same as none.
func environment(environ []string) map[string]string {
	env := make(map[string]string, len(environ))
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok && value != "" {
			env[name] = value
		}
	}
	return env
}

// checkVariables finds mistyped names of settings.
func checkVariables(env map[string]string) (p problems) {
	known := []string{envPrefix + "CONFIG"}
	for _, s := range settings() {
		known = append(known, s.variable())
	}
	var wrong []string
	for name := range env {
		if strings.HasPrefix(name, envPrefix) && !slices.Contains(known, name) {
			wrong = append(wrong, name)
		}
	}
	slices.Sort(wrong)
	for _, name := range wrong {
		p.add(name, "unknown variable; %s", nearest(name, known))
	}
	return p
}
