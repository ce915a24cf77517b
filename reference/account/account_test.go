package account

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func directory(t *testing.T) *Directory {
	t.Helper()
	d, err := NewDirectory([]Organization{
		{ID: "acme", Keys: []Key{{ID: "web", Digest: DigestOf("sk-acme-web")}, {ID: "batch", Digest: DigestOf("sk-acme-batch")}}},
		{ID: "other", Keys: []Key{{ID: "web", Digest: DigestOf("sk-other")}}},
		{ID: "empty"},
	})
	require.NoError(t, err)
	return d
}

func TestAuthenticate(t *testing.T) {
	d := directory(t)
	acme := Identity{Org: "acme", KeyID: "web"}
	for name, c := range map[string]struct {
		headers [][2]string
		want    Identity // zero: refused
	}{
		"a bearer":                     {[][2]string{{"Authorization", "Bearer sk-acme-web"}}, acme},
		"another key":                  {[][2]string{{"Authorization", "Bearer sk-acme-batch"}}, Identity{Org: "acme", KeyID: "batch"}},
		"another organization":         {[][2]string{{"Authorization", "Bearer sk-other"}}, Identity{Org: "other", KeyID: "web"}},
		"a scheme in small letters":    {[][2]string{{"Authorization", "bearer sk-acme-web"}}, acme},
		"a scheme in capitals":         {[][2]string{{"Authorization", "BEARER sk-acme-web"}}, acme},
		"several spaces":               {[][2]string{{"Authorization", " Bearer   sk-acme-web "}}, acme},
		"an x-api-key":                 {[][2]string{{"X-Api-Key", "sk-acme-web"}}, acme},
		"the same key in both":         {[][2]string{{"Authorization", "Bearer sk-acme-web"}, {"X-Api-Key", "sk-acme-web"}}, acme},
		"an empty x-api-key beside":    {[][2]string{{"Authorization", "Bearer sk-acme-web"}, {"X-Api-Key", ""}}, acme},
		"no header":                    {nil, Identity{}},
		"an empty header":              {[][2]string{{"Authorization", ""}}, Identity{}},
		"a scheme alone":               {[][2]string{{"Authorization", "Bearer"}}, Identity{}},
		"a scheme and blanks":          {[][2]string{{"Authorization", "Bearer  "}}, Identity{}},
		"the key alone":                {[][2]string{{"Authorization", "sk-acme-web"}}, Identity{}},
		"another scheme":               {[][2]string{{"Authorization", "Basic sk-acme-web"}}, Identity{}},
		"an unknown key":               {[][2]string{{"Authorization", "Bearer sk-nobody"}}, Identity{}},
		"a beginning of a key":         {[][2]string{{"Authorization", "Bearer sk-acme"}}, Identity{}},
		"more than a key":              {[][2]string{{"Authorization", "Bearer sk-acme-web x"}}, Identity{}},
		"a key in capitals":            {[][2]string{{"Authorization", "Bearer SK-ACME-WEB"}}, Identity{}},
		"two headers":                  {[][2]string{{"Authorization", "Bearer sk-acme-web"}, {"Authorization", "Bearer sk-acme-web"}}, Identity{}},
		"two x-api-keys":               {[][2]string{{"X-Api-Key", "sk-acme-web"}, {"X-Api-Key", "sk-other"}}, Identity{}},
		"two different keys":           {[][2]string{{"Authorization", "Bearer sk-acme-web"}, {"X-Api-Key", "sk-other"}}, Identity{}},
		"a wrong scheme beside a key":  {[][2]string{{"Authorization", "Basic x"}, {"X-Api-Key", "sk-acme-web"}}, Identity{}},
		"an empty bearer beside a key": {[][2]string{{"Authorization", "Bearer "}, {"X-Api-Key", "sk-acme-web"}}, acme},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/", nil)
			for _, h := range c.headers {
				r.Header.Add(h[0], h[1])
			}
			got, e := d.Authenticate(r)
			assert.Equal(t, c.want, got)
			if c.want != (Identity{}) {
				require.Nil(t, e)
				return
			}
			require.NotNil(t, e)
			assert.Equal(t, 401, e.Status)
			assert.Equal(t, "invalid_request_error", e.Type)
			assert.Equal(t, "invalid_api_key", *e.Code)
			assert.Nil(t, e.Param)
			assert.NotContains(t, e.Error(), "sk-", "no key is repeated")
		})
	}
}

func TestNewDirectoryRefuses(t *testing.T) {
	key := Key{ID: "k", Digest: DigestOf("secret")}
	for name, c := range map[string]struct {
		orgs []Organization
		want string
	}{
		"an organization without id": {[]Organization{{Keys: []Key{key}}}, "organization 1 has no id"},
		"an organization twice":      {[]Organization{{ID: "a"}, {ID: "a"}}, `organization "a" is listed twice`},
		"a key without id":           {[]Organization{{ID: "a", Keys: []Key{{ID: "", Digest: key.Digest}}}}, `key 1 of organization "a" has no id`},
		"two keys of one id":         {[]Organization{{ID: "a", Keys: []Key{key, {ID: "k", Digest: DigestOf("x")}}}}, `two keys with the id "k"`},
		"one key of two owners":      {[]Organization{{ID: "a", Keys: []Key{key}}, {ID: "b", Keys: []Key{key}}}, `is the same as key "k" of organization "a"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewDirectory(c.orgs)
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
}
