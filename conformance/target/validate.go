package target

import (
	"net"
	"net/url"
	"strconv"
	"strings"
)

// baseURL reads an http(s) URL and returns it without a slash or /v1 at its end.
func (r *resolver) baseURL(key string) string {
	v, given := r.overlay.values[key]
	if !given {
		return ""
	}
	text := strings.TrimSpace(v.texts[0])
	u, err := url.Parse(text)
	switch {
	case strings.Contains(text, "@") && (err != nil || u.User != nil):
		// The text is not quoted: what stands before the @ is a secret.
		r.fail(v, "%s holds a user or password: drop it, keys belong into keys", key)
	case err != nil || u.Opaque != "" || !strings.Contains(text, "://"):
		r.fail(v, "%s is not a URL: %q; write it as in http://127.0.0.1:8080", key, text)
	case u.Scheme != "http" && u.Scheme != "https":
		r.fail(v, "%s begins with %s://; only http:// and https:// can be judged", key, u.Scheme)
	case u.Hostname() == "":
		r.fail(v, "%s names no host: %q; write it as in http://127.0.0.1:8080", key, text)
	case u.Port() != "" && !validPort(u.Port()):
		r.fail(v, "%s names the port %s; ports go from 1 to 65535", key, u.Port())
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		r.fail(v, "%s has a query or a fragment: give the base alone, such as https://gateway.example/v1", key)
	case endpoint(u.Path) != "":
		r.fail(v, "%s ends with %s, which is one endpoint: give the base before it", key, endpoint(u.Path))
	default:
		root := strings.TrimRight(u.EscapedPath(), "/")
		root = strings.TrimRight(strings.TrimSuffix(root, "/v1"), "/")
		return u.Scheme + "://" + strings.ToLower(u.Host) + root
	}
	return ""
}

// endpoint returns the endpoint that a path ends with, if any.
func endpoint(path string) string {
	for _, e := range []string{"/chat/completions", "/completions", "/responses", "/messages", "/models"} {
		if strings.HasSuffix(strings.TrimRight(path, "/"), e) {
			return e
		}
	}
	return ""
}

// path reads the path of an endpoint of the target.
func (r *resolver) path(key string) string {
	v, given := r.overlay.values[key]
	if !given {
		return ""
	}
	u, err := url.Parse(v.texts[0])
	if err != nil || u.Scheme != "" || u.Host != "" || u.Fragment != "" || !strings.HasPrefix(u.Path, "/") {
		r.fail(v, "%s is the path of an endpoint, such as /v1/credits, not %q", key, v.texts[0])
		return ""
	}
	return v.texts[0]
}

// header reads the name of a header.
func (r *resolver) header(key string) string {
	v, given := r.overlay.values[key]
	if !given {
		return ""
	}
	name := v.texts[0]
	for _, c := range []byte(name) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && !strings.ContainsRune("-_.!#$%&'*+^`|~", rune(c)) {
			r.fail(v, "%s is no name of a header, such as X-Mortar-Session-Id, but %q", key, name)
			return ""
		}
	}
	return name
}

// address reads host:port; without a host it is the loopback interface.
func (r *resolver) address(key string) string {
	v, given := r.overlay.values[key]
	if !given {
		return ""
	}
	host, port, err := net.SplitHostPort(v.texts[0])
	if err != nil || port != "0" && !validPort(port) || strings.Contains(host, "/") {
		r.fail(v, "%s is an address to listen on, such as 127.0.0.1:9000, not %q", key, v.texts[0])
		return ""
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

func validPort(port string) bool {
	n, err := strconv.Atoi(port)
	return err == nil && n >= 1 && n <= 65535
}

// contradictions finds settings that are right alone and wrong together.
func (r *resolver) contradictions(c Config) {
	values := r.overlay.values
	server, hasServer := values["modelServer"]
	control, hasControl := values["control"]
	if hasServer && hasControl {
		r.fail(control, "control and modelServer (%s) exclude each other: one finds a scripted model server, the other starts one", server.where)
	}
	if _, hasTarget := values["target"]; !hasTarget {
		for _, key := range []string{"modelServer", "control"} {
			if v, given := values[key]; given {
				r.fail(v, "%s needs a target that forwards to it; without a target the reference gateway brings its own", key)
			}
		}
	}
	r.sameKeys(c.Keys)
}

// sameKeys refuses one key in two roles, which would prove nothing about
// organizations, and roles beside a missing first key.
func (r *resolver) sameKeys(keys Keys) {
	roles := []struct {
		key    string
		secret Secret
	}{{"keys.key", keys.Key}, {"keys.key2", keys.Key2}, {"keys.org2", keys.Org2}, {"keys.poor", keys.Poor}, {"keys.limited", keys.Limited}}
	first := make(map[string]string)
	for _, role := range roles {
		if role.secret.IsZero() {
			continue
		}
		v := r.overlay.values[role.key]
		if other, twice := first[role.secret.Reveal()]; twice {
			r.fail(v, "%s is the same key as %s: each role needs a key of its own", role.key, other)
			continue
		}
		first[role.secret.Reveal()] = role.key
		if _, given := r.overlay.values["keys.key"]; !given {
			r.fail(v, "%s is given without keys.key, the key that all other requests use", role.key)
		}
	}
}
