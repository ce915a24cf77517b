package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/admin"
	"plumbline.dev/plumbline/reference/ledger"
	"plumbline.dev/plumbline/reference/price"
)

// administer runs plumbline gateway with arguments, on a data directory.
func administer(dir string, args ...string) (string, error) {
	var out bytes.Buffer
	root := newRootCommand()
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetArgs(append([]string{"gateway"}, append(args, "--data", dir)...))
	err := root.Execute()
	return out.String(), err
}

func TestAdministration(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	do := func(args ...string) string {
		t.Helper()
		out, err := administer(dir, args...)
		require.NoError(t, err, args)
		return out
	}
	assert.Empty(t, do("orgs", "add", "acme", "--credits", "10.00"))
	assert.Empty(t, do("orgs", "add", "internal", "--unlimited"))
	key := strings.TrimSpace(do("keys", "add", "acme", "web", "--requests-per-minute", "60", "--tokens-per-minute", "0"))
	require.Regexp(t, "^sk-plumbline-[A-Za-z0-9_-]{32}$", key)
	do("keys", "add", "internal", "ci")
	do("keys", "revoke", "internal", "ci")
	do("credits", "add", "acme", "0.5")

	l, err := ledger.Open(filepath.Join(dir, ledger.FileName))
	require.NoError(t, err)
	_, err = l.Write(t.Context(), ledger.Entry{ID: "chatcmpl-1", Org: "acme", Model: "m", Kind: ledger.Break, USD: price.MustParseMoney("0.00000552"), Prompt: 12, Completion: 2})
	require.NoError(t, err)
	// The ledger is read while a gateway has it open.
	orgs := do("orgs", "list")
	assert.Regexp(t, `(?m)^acme +1 +10\.49999448 `, orgs)
	assert.Regexp(t, `(?m)^internal +0 +unlimited `, orgs)
	show := do("credits", "show", "acme")
	assert.Contains(t, show, "granted 10.5 USD, spent 0.00000552 USD, balance 10.49999448\n")
	assert.Regexp(t, `chatcmpl-1 +m +break +12\+2 +0\.00000552\n`, show)
	require.NoError(t, l.Close())

	keys := do("keys", "list")
	assert.Regexp(t, `(?m)^acme +web +in use +60 +0 `, keys)
	assert.Regexp(t, `(?m)^internal +ci +revoked +- +- `, keys)
	assert.NotRegexp(t, regexp.QuoteMeta(key), keys, "a key is shown once")
	assert.NotContains(t, do("keys", "list", "acme"), "internal")
}

func TestAdministrationRefuses(t *testing.T) {
	dir := t.TempDir()
	_, err := administer(dir, "orgs", "add", "acme")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"an organization twice":       {[]string{"orgs", "add", "acme"}, `there is an organization "acme" already`},
		"credits of nothing":          {[]string{"orgs", "add", "x", "--credits", "0"}, "above 0"},
		"credits without a limit":     {[]string{"orgs", "add", "x", "--credits", "1", "--unlimited"}, "not together with --unlimited"},
		"an amount that is none":      {[]string{"credits", "add", "acme", "1,5"}, "is not an amount"},
		"credits for nobody":          {[]string{"credits", "add", "nobody", "1"}, `there is no organization "nobody"`},
		"credits of nobody":           {[]string{"credits", "show", "nobody"}, "add it with orgs add"},
		"keys of nobody":              {[]string{"keys", "list", "nobody"}, "add it with orgs add"},
		"a limit below 0":             {[]string{"keys", "add", "acme", "k", "--tokens-per-minute", "-1"}, "-1 is not a limit"},
		"a key that is unknown":       {[]string{"keys", "revoke", "acme", "k"}, `has no key "k"`},
		"too few arguments":           {[]string{"keys", "add", "acme"}, "accepts 2 arg(s)"},
		"nothing to do":               {[]string{"keys"}, "say what to do with keys"},
		"something that is not known": {[]string{"keys", "remove"}, `unknown command "remove"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := administer(dir, c.args...)
			require.ErrorContains(t, err, c.want)
		})
	}
	t.Run("without a directory", func(t *testing.T) {
		_, err := administer("", "orgs", "list")
		require.ErrorContains(t, err, dataVariable)
	})
	t.Run("while another command works", func(t *testing.T) {
		e, err := admin.Open(filepath.Join(dir, admin.FileName))
		require.NoError(t, err)
		defer func() { _ = e.Close() }()
		_, err = administer(dir, "orgs", "add", "other")
		require.ErrorContains(t, err, "try again")
	})
	t.Run("a variable names the directory", func(t *testing.T) {
		t.Setenv(dataVariable, dir)
		out, err := administer("", "orgs", "list")
		require.NoError(t, err)
		assert.Contains(t, out, "acme")
	})
}
