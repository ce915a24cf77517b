package browser

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
)

func text(selector string) string { return `document.querySelector('` + selector + `').textContent` }

const live = `document.getElementById('session-state').dataset.state === 'live'`

// A person types a session and a key, and sees the requests as they happen.
func TestThePageShowsRequests(t *testing.T) {
	p := newTab(t)
	s := newSite(t)
	p.do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(s.front.URL+"/"))
	p.shows(
		`document.getElementById('fleet-state').dataset.state === 'live'`,
		`/^[0-9,]+$/.test(`+text(`#fleet [data-figure=requests]`)+`)`,
	)
	// By keyboard alone.
	p.do(chromedp.Focus(chromedp.CSS("#session")), chromedp.KeyEvent("chat-1"+kb.Tab+key+kb.Enter))
	p.shows(live, `location.hash === '#session=chat-1'`, `!document.documentElement.innerHTML.includes('`+key+`')`)

	const prompt = 512
	cached := 448
	cold := control.Script{PromptTokens: prompt}.Tokens("Warp ", "and ", "weft").Pause(40*time.Millisecond).Tokens(" of ", "light")
	warm := cold
	warm.CachedTokens = &cached
	s.complete("chat-1", cold)
	s.complete("chat-1", warm)
	s.complete("chat-1", control.Script{PromptTokens: prompt}.Tokens("a").Then(control.Step{Error: &control.ErrorObject{Message: "gone"}}))
	s.complete("chat-2", cold) // another session: not to be seen
	wait := s.start("chat-1", control.Script{PromptTokens: prompt}.Tokens("a").Gate("g").Tokens("b"))
	p.shows(
		`document.querySelectorAll('.request').length === 4`,
		text(".request:first-child .ending")+` === 'generating'`,
		text(".request:first-child .server")+` === 'gpu-h200-0'`,
		text(".request:nth-child(2) .ending")+`.startsWith('failed')`,
		text(".request:nth-child(3) .tier")+` === 'gpu-hbm, 87.5%'`,
		text(".request:nth-child(3) .saved dd")+` === '$0.00001212'`,
		text(".request:nth-child(4) .tier")+` === 'miss'`,
		text(".request:nth-child(4) .saved dd")+`.startsWith('−$')`,
		text(".request:nth-child(4) .ttft")+`.endsWith('ms')`,
		text("#sums [data-figure=requests]")+` === '3'`,
	)
	p.picture("light")
	p.do(dark)
	p.picture("dark")
	p.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
	wide, err := evaluate[int](p, `document.documentElement.scrollWidth`)
	require.NoError(t, err)
	assert.LessOrEqual(t, wide, 360, "a phone must not scroll sideways")
	p.picture("phone")

	_, err = s.gpu.Await(t.Context(), s.nonce, control.Condition{Gate: "g"})
	require.NoError(t, err)
	require.NoError(t, s.gpu.Release(t.Context(), s.nonce, "g"))
	wait()
	p.shows(
		text(".request:first-child .ending")+`.startsWith('finished after')`,
		text("#sums [data-figure=requests]")+` === '4'`,
	)
	assert.Empty(t, p.complaints())
}

// dark is the night's colours.
func dark(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
	_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
	})
	return chromedp.Void{}, err
}

// A stream that is lost is said to be lost, and comes back by itself.
func TestThePageSaysWhenTheStreamIsLost(t *testing.T) {
	p := newTab(t)
	s := newSite(t)
	p.do(chromedp.Navigate(s.front.URL+"/#session=chat-1"), chromedp.SendKeys(chromedp.CSS("#key"), key+kb.Enter))
	p.shows(live + ` && ` + text("#session-state") + ` === 'Live'`)
	s.start("chat-1", control.Script{}.Tokens("a").Gate("g"))
	p.shows(text(".request .server") + ` === 'gpu-h200-0'`)
	// The page goes through its states; only the last stays on the screen.
	p.shows(`(window.seen = [], new MutationObserver(() => seen.push(` + text("#session-state") + `))
		.observe(document.getElementById('session-state'), {childList: true}), true)`)
	s.front.CloseClientConnections()
	p.shows(
		`seen.some((s) => s.startsWith('The stream is lost'))`,
		live,
		text(".request .ending")+` === 'not known: the stream was lost'`,
	)
	s.complete("chat-1", control.Script{}.Tokens("a"))
	p.shows(text(".request:first-child .ending") + `.startsWith('finished')`)
}

func TestThePageSaysWhatIsWrong(t *testing.T) {
	p := newTab(t)
	s := newSite(t)
	p.do(chromedp.Navigate(s.front.URL + "/#session=chat-1"))
	p.shows(
		text("#session-state")+`.includes('without a key it stays empty')`,
		text("#example")+`.includes('X-Mortar-Session-Id: chat-1')`,
	)
	p.do(chromedp.SendKeys(chromedp.CSS("#key"), "a-dead-key"+kb.Enter))
	p.shows(
		`document.getElementById('session-state').dataset.state === 'refused'`,
		text("#session-state")+` === 'Incorrect API key provided.'`,
	)
	// A session that looks like markup is text.
	p.shows(`(location.hash = '#session=%3Cimg%20src=x%3E', true)`, text("#session-name")+` === '<img src=x>'`)
}
