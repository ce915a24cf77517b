package admin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/account"
	"plumbline.dev/plumbline/reference/appendlog"
	"plumbline.dev/plumbline/reference/limit"
	"plumbline.dev/plumbline/reference/price"
)

func edit(t *testing.T, path string, decide func(*Editor)) {
	t.Helper()
	e, err := Open(path)
	require.NoError(t, err)
	decide(e)
	require.NoError(t, e.Close())
}

func TestDecisionsAddUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	n := int64(60)
	var web string
	edit(t, path, func(e *Editor) {
		require.NoError(t, e.AddOrganization("acme", false))
		require.NoError(t, e.AddOrganization("internal", true))
		require.NoError(t, e.AddCredits("acme", price.MustParseMoney("10.00")))
		var err error
		web, err = e.AddKey("acme", "web", limit.Limits{RequestsPerMinute: &n})
		require.NoError(t, err)
	})
	edit(t, path, func(e *Editor) {
		require.NoError(t, e.AddCredits("acme", price.MustParseMoney("0.000001")))
		batch, err := e.AddKey("acme", "batch", limit.Limits{})
		require.NoError(t, err)
		assert.NotEqual(t, web, batch)
		require.NoError(t, e.RevokeKey("acme", "batch"))
	})
	state, err := Read(path)
	require.NoError(t, err)
	require.Len(t, state.Organizations, 2)
	acme, internal := state.Organizations[0], state.Organizations[1]
	assert.Equal(t, "10.000001", acme.Credits.String())
	assert.True(t, acme.Limited)
	assert.False(t, internal.Limited)
	require.Len(t, acme.Keys, 2)
	assert.Equal(t, account.DigestOf(web), acme.Keys[0].Digest)
	assert.Equal(t, int64(60), *acme.Keys[0].Limits.RequestsPerMinute)
	assert.Nil(t, acme.Keys[0].Limits.TokensPerMinute)
	assert.False(t, acme.Keys[0].Revoked)
	assert.True(t, acme.Keys[1].Revoked)
	assert.False(t, acme.At.IsZero())

	file, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.NotContains(t, string(file), web, "a key is kept as a digest alone")
	assert.Greater(t, len(web), 40)
}

func TestWhatCannotBeDecided(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	negative := int64(-1)
	edit(t, path, func(e *Editor) {
		require.NoError(t, e.AddOrganization("acme", false))
		require.NoError(t, e.AddOrganization("free", true))
		_, err := e.AddKey("acme", "web", limit.Limits{})
		require.NoError(t, err)
		_, err = e.AddKey("acme", "old", limit.Limits{})
		require.NoError(t, err)
		require.NoError(t, e.RevokeKey("acme", "old"))
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		addKey := func(org, id string, limits limit.Limits) error {
			_, err := e.AddKey(org, id, limits)
			return err
		}
		for want, err := range map[string]error{
			`there is an organization "acme" already`:      e.AddOrganization("acme", false),
			`"" cannot name an organization`:               e.AddOrganization("", false),
			`"a b" cannot name an organization`:            e.AddOrganization("a b", false),
			`"-x" cannot name an organization`:             e.AddOrganization("-x", false),
			"1 to 64 characters":                           e.AddOrganization(strings.Repeat("x", 65), false),
			`there is no organization "none"`:              addKey("none", "web", limit.Limits{}),
			`had a key "web" already`:                      addKey("acme", "web", limit.Limits{}),
			`had a key "old" already`:                      addKey("acme", "old", limit.Limits{}),
			`"w/b" cannot name a key`:                      addKey("acme", "w/b", limit.Limits{}),
			"-1 is not a limit":                            addKey("acme", "new", limit.Limits{TokensPerMinute: &negative}),
			`has no key "none"`:                            e.RevokeKey("acme", "none"),
			`key "old" of organization "acme" is revoked`:  e.RevokeKey("acme", "old"),
			"0 US dollars cannot be added":                 e.AddCredits("acme", price.Money{}),
			"-1 US dollars cannot be added":                e.AddCredits("acme", price.MustParseMoney("-1")),
			`"free" is unlimited, so it has no credits to`: e.AddCredits("free", price.MustParseMoney("1")),
		} {
			require.ErrorContains(t, err, want)
		}
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, string(before), string(after), "nothing was written")
	})
}

func TestOneAdministratorDecides(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	edit(t, path, func(*Editor) {
		_, err := Open(path)
		require.ErrorIs(t, err, appendlog.ErrInUse)
	})
}

func TestAFollowerSeesDecisions(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	f, err := Follow(path)
	require.NoError(t, err, "the file may come later")
	refresh := func() bool {
		changed, err := f.Refresh()
		require.NoError(t, err)
		return changed
	}
	assert.False(t, refresh())
	edit(t, path, func(e *Editor) {
		require.NoError(t, e.AddOrganization("acme", false))
		assert.True(t, refresh(), "while the administrator is at work")
		assert.False(t, refresh())
		require.NoError(t, e.AddCredits("acme", price.MustParseMoney("1")))
	})
	assert.True(t, refresh())
	assert.Equal(t, "1", f.State().Organizations[0].Credits.String())

	// Half a line is not a decision yet.
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	edit(t, path, func(e *Editor) { require.NoError(t, e.AddCredits("acme", price.MustParseMoney("2"))) })
	more, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, more[:len(whole)+10], 0o600))
	assert.False(t, refresh())
	require.NoError(t, os.WriteFile(path, more, 0o600))
	assert.True(t, refresh())
	assert.Equal(t, "3", f.State().Organizations[0].Credits.String())
}

func TestWhatCannotBeReadIsToldOnce(t *testing.T) {
	for want, record := range map[string]string{
		"it is no change":             `[]`,
		`there is no organization`:    `{"do":"key.add","org":"none"}`,
		"is no change that this":      `{"do":"org.paint","org":"acme"}`,
		"is not an amount":            `{"do":"credits.add","org":"acme","usd":"x"}`,
		"not 64 hexadecimal digits":   `{"do":"key.add","org":"acme","key":"k","sha256":"00"}`,
		"cannot name an organization": `{"do":"org.add","org":"a\u0000"}`,
	} {
		path := filepath.Join(t.TempDir(), FileName)
		edit(t, path, func(e *Editor) { require.NoError(t, e.AddOrganization("acme", false)) })
		f, err := Follow(path)
		require.NoError(t, err)
		log, err := appendlog.Open(path)
		require.NoError(t, err)
		require.NoError(t, log.Append([]byte(record)))
		require.NoError(t, log.Close())

		_, err = f.Refresh()
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, path)
		_, err = f.Refresh()
		require.NoError(t, err, "once")
		assert.Len(t, f.State().Organizations, 1, "what was decided before holds")
		_, err = Open(path)
		require.ErrorContains(t, err, want)
		_, err = Read(path)
		require.ErrorContains(t, err, want)
	}
}

func FuzzChange(f *testing.F) {
	f.Add(`{"do":"org.add","org":"acme"}`)
	f.Add(`{"do":"credits.add","org":"acme","usd":"1e9999999999"}`)
	f.Add(`{"do":"key.add","org":"acme","key":"k","sha256":"` + strings.Repeat("0", 64) + `","tokensPerMinute":-1}`)
	f.Fuzz(func(t *testing.T, record string) {
		state := State{Organizations: []*Organization{{ID: "acme", Limited: true}}}
		c, err := decode([]byte(record))
		if err == nil {
			_ = state.apply(c) // it may be refused, and must not panic
		}
		require.GreaterOrEqual(t, state.Organizations[0].Credits.Sign(), 0)
	})
}
