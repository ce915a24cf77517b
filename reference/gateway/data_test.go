package gateway

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/admin"
	"plumbline.dev/plumbline/reference/appendlog"
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/idempotency"
	"plumbline.dev/plumbline/reference/ledger"
	"plumbline.dev/plumbline/reference/limit"
	"plumbline.dev/plumbline/reference/price"
)

// newDataRig is a rig with a data directory, and with credits in its settings.
func newDataRig(t *testing.T, dir string) *rig {
	return newNotholyRig(t, func(cfg *config.Config) {
		withCredits("10")(cfg)
		cfg.Data = dir
	})
}

func TestChargesSurviveARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "when missing")
	f := formatCases[0]
	for run, balance := range []string{"9.99999448", "9.99998896", "9.99998344"} {
		t.Run(balance, func(t *testing.T) { // the gateway of each ends with it
			r := newDataRig(t, dir)
			charges := r.credits(key1).Get("charges").Array()
			assert.Len(t, charges, run)
			nonce := r.script(hello)
			resp := f.askAs(r, key1, nonce, "true", idempotency.Header, balance)
			_, err := read(resp)
			require.NoError(t, err)
			assert.Equal(t, balance, r.credits(key1).Get("balanceUsd").Raw, "the settings grant nothing again")
			_, err = New(r.cfg, Deps{})
			require.ErrorIs(t, err, appendlog.ErrInUse, "one gateway has a data directory")
		})
	}
	r := newDataRig(t, dir)
	resp := f.askAs(r, key1, r.script(hello), "false", idempotency.Header, "9.99999448")
	reply, err := read(resp)
	require.NoError(t, err)
	assert.Equal(t, http.StatusUnprocessableEntity, resp.StatusCode, "it was another request, of an earlier process")
	assert.Equal(t, "idempotency_key_reused", gjson.Get(reply, "error.code").Str)
	assert.Len(t, r.credits(key1).Get("charges").Array(), 3)
}

func TestAfterARestartARepeatedRequestIsNotChargedAgain(t *testing.T) {
	dir := t.TempDir()
	const request = `{"model":"notholy-specter","messages":[{"role":"user","content":"x"}]}`
	for _, status := range []int{http.StatusOK, http.StatusUnprocessableEntity} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			r := newDataRig(t, dir)
			resp := r.send(r.Context(), http.MethodPost, "/v1/chat/completions", key1, request, idempotency.Header, "k")
			reply, err := read(resp)
			require.NoError(t, err)
			assert.Equal(t, status, resp.StatusCode)
			if status != http.StatusOK {
				assert.Equal(t, "idempotent_reply_gone", gjson.Get(reply, "error.code").Str)
			}
			assert.Len(t, r.credits(key1).Get("charges").Array(), 1)
		})
	}
}

func TestTheAdministratorIsFollowed(t *testing.T) {
	dir := t.TempDir()
	r := newDataRig(t, dir)
	decide := func(what func(*admin.Editor) error) {
		t.Helper()
		e, err := admin.Open(filepath.Join(dir, admin.FileName))
		require.NoError(t, err)
		require.NoError(t, what(e))
		require.NoError(t, e.Close())
	}
	status := func(key string) int {
		resp := formatCases[0].askAs(r, key, r.script(hello), "true")
		_, err := read(resp)
		require.NoError(t, err)
		return resp.StatusCode
	}
	one := int64(1)
	var web, limited, more string
	decide(func(e *admin.Editor) error { return e.AddOrganization("acme", false) })
	decide(func(e *admin.Editor) (err error) { web, err = e.AddKey("acme", "web", limit.Limits{}); return })
	assert.Equal(t, http.StatusPaymentRequired, status(web), "no credits yet")
	decide(func(e *admin.Editor) error { return e.AddCredits("acme", price.MustParseMoney("1")) })
	assert.Equal(t, http.StatusOK, status(web))
	decide(func(e *admin.Editor) (err error) {
		limited, err = e.AddKey("acme", "limited", limit.Limits{RequestsPerMinute: &one})
		return
	})
	assert.Equal(t, http.StatusOK, status(limited))
	assert.Equal(t, http.StatusTooManyRequests, status(limited))
	assert.Equal(t, "0.99998896", r.credits(web).Get("balanceUsd").Raw)
	decide(func(e *admin.Editor) error { return e.RevokeKey("acme", "web") })
	assert.Equal(t, http.StatusUnauthorized, status(web))

	// An organization of the settings gets keys and credits beside its own.
	decide(func(e *admin.Editor) error { return e.AddOrganization("poor", false) })
	decide(func(e *admin.Editor) error { return e.AddCredits("poor", price.MustParseMoney("0.5")) })
	decide(func(e *admin.Editor) (err error) { more, err = e.AddKey("poor", "poor", limit.Limits{}); return })
	assert.Equal(t, http.StatusOK, status(keyPoor))
	assert.Equal(t, http.StatusUnauthorized, status(more), "a key of the settings hides one of its name")
	assert.NotContains(t, r.log.String(), web)
}

func TestADataDirectoryThatCannotBeUsed(t *testing.T) {
	cfg := func(dir string) *config.Config {
		c := config.Default(config.ProfileMortar)
		c.Data = dir
		require.NoError(t, c.Complete())
		return c
	}
	assert.False(t, cfg(t.TempDir()).DevelopmentKey, "keys are in the data directory")

	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := New(cfg(file), Deps{Log: slog.New(slog.DiscardHandler)})
	require.ErrorContains(t, err, "making the data directory")

	for name, want := range map[string]string{ledger.FileName: "opening the ledger", admin.FileName: "following the administrator's decisions"} {
		dir := t.TempDir()
		log, err := appendlog.Open(filepath.Join(dir, name))
		require.NoError(t, err)
		require.NoError(t, log.Append([]byte("no JSON")))
		require.NoError(t, log.Close())
		for range 2 { // the first left nothing locked
			_, err = New(cfg(dir), Deps{})
			require.ErrorContains(t, err, want)
			require.NotErrorIs(t, err, appendlog.ErrInUse)
		}
	}
}
