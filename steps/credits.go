package steps

import (
	"context"
	"fmt"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/probe"
	"plumbline.dev/plumbline/conformance/verdict"
)

// creditSentences are about what replies cost.
var creditSentences = []sentence{
	say(`the charge is what the usage says at the prices of the model`, func(w *World) any { return w.chargedAsUsageSays }),
	say(`the charge of the reply that is not streamed is what its usage says`, func(w *World) any { return w.wholeChargedAsUsageSays }),
	say(`the charge is the tokens generated before the break, and at most the prompt beside them`, func(w *World) any { return w.chargedForBreak }),
	say(`the reply is generated and charged once`, func(w *World) any { return w.chargedOnce }),
	say(`the client reads the balance (of another organization|without credits)`, func(w *World) any { return w.readsBalance }),
	say(`the balance (of another organization|without credits) has not changed`, func(w *World) any { return w.balanceUnchanged }),
}

// charge waits for the charge of a reply.
func (w *World) charge(ctx context.Context, id string) (check.Charge, error) {
	if id == "" {
		return check.Charge{}, verdict.Violated("a reply with an id", "none")
	}
	credits, err := w.session.Charged(ctx, id, probe.OwnKey)
	if err != nil {
		return check.Charge{}, err
	}
	if err := judge(credits.ChargedOnce(id)); err != nil {
		return check.Charge{}, err
	}
	return credits.Of(id)[0], nil
}

func (w *World) chargedAsUsageSays(ctx context.Context) error {
	says, err := w.says(ctx)
	if err != nil {
		return err
	}
	return w.chargedFor(ctx, says)
}

func (w *World) wholeChargedAsUsageSays(ctx context.Context) error {
	if w.whole == nil {
		return fmt.Errorf("the scenario judges the price of a reply before it asks for one")
	}
	return w.chargedFor(ctx, check.SayWhole(w.wholeBy.Format, w.whole, w.wholeBy.Ask()))
}

func (w *World) chargedFor(ctx context.Context, says check.Saying) error {
	if says.Usage == nil {
		return verdict.Violated("a reply with usage", "none")
	}
	prices, err := w.prices(ctx)
	if err != nil {
		return err
	}
	charge, err := w.charge(ctx, says.ID)
	if err != nil {
		return err
	}
	return judge(charge.ChargeOfUsage(*says.Usage, prices))
}

func (w *World) chargedForBreak(ctx context.Context) error {
	stream, err := w.session.Stream()
	if err != nil {
		return err
	}
	id, err := stream.ID()
	if err != nil {
		return err
	}
	prices, err := w.prices(ctx)
	if err != nil {
		return err
	}
	records, err := w.session.Generated(ctx)
	if err != nil {
		return err
	}
	charge, err := w.charge(ctx, id)
	if err != nil {
		return err
	}
	last := records[len(records)-1]
	return judge(charge.ChargeOfBreak(int64(last.Generated), int64(last.PromptTokens), int64(last.CachedTokens), prices))
}

// chargedOnce takes a target that answers the repeated request as it did the
// first one, and one that refuses it.
func (w *World) chargedOnce(ctx context.Context) error {
	if err := w.hasEnded(ctx); err != nil {
		return err
	}
	first := w.session.Streams()[0]
	t, err := first.Ended(ctx)
	if err != nil {
		return err
	}
	if _, err := w.charge(ctx, check.Say(first.Format(), t, first.Ask()).ID); err != nil {
		return err
	}
	records, err := w.session.Generated(ctx)
	if err != nil {
		return err
	}
	if len(records) != 1 {
		return verdict.Violated("one request to the model server", "%d", len(records))
	}
	return nil
}

var balances = map[string]probe.Key{"of another organization": probe.OtherOrg, "without credits": probe.PoorKey}

func (w *World) readsBalance(ctx context.Context, whose string) (err error) {
	w.balance, err = w.session.Credits(ctx, balances[whose])
	return err
}

func (w *World) balanceUnchanged(ctx context.Context, whose string) error {
	if w.balance == nil {
		return fmt.Errorf("the scenario compares a balance before it reads it")
	}
	now, err := w.session.Credits(ctx, balances[whose])
	if err != nil {
		return err
	}
	if before := w.balance.Balance; before != nil && (now.Balance == nil || now.Balance.Cmp(before) != 0) {
		return verdict.Violated("a balance of "+before.FloatString(15)+" USD as before", "%s", now.Balance.FloatString(15))
	}
	if len(now.Charges) != len(w.balance.Charges) {
		return verdict.Violated("no new charge", "%d more", len(now.Charges)-len(w.balance.Charges))
	}
	return nil
}
