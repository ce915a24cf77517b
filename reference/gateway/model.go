package gateway

import (
	"context"
	"time"

	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/generation"
	"plumbline.dev/plumbline/reference/modelserver"
	"plumbline.dev/plumbline/reference/prefix"
	"plumbline.dev/plumbline/reference/sample"
	"plumbline.dev/plumbline/reference/tokens"
)

// model is a model that is offered, with whoever answers for it.
type model struct {
	*config.Model
	backend generation.Backend
	pool    *modelserver.Pool // nil with the sample model
}

// caches are the gateway's books of prefix caches, for all of its models.
type caches struct {
	index  *prefix.Index  // of those that model servers have
	ledger *prefix.Ledger // of the one that the sample model would have
}

func newCaches() caches {
	return caches{index: prefix.NewIndex(prefix.IndexOptions{}), ledger: prefix.NewLedger(prefix.LedgerOptions{})}
}

func newModel(m *config.Model, cfg *config.Config, counter *tokens.Counter, books caches, deps Deps) (*model, error) {
	if len(m.ModelServers) == 0 {
		return &model{Model: m, backend: sampleBackend{ledger: books.ledger, model: sample.Model{
			Counter: counter, ContextWindow: m.ContextWindow,
			FirstToken: pace(deps.SampleFirstToken, defaultFirstToken),
			InterToken: pace(deps.SampleInterToken, defaultInterToken),
		}}}, nil
	}
	servers := make([]modelserver.Server, len(m.ModelServers))
	for i, s := range m.ModelServers {
		servers[i] = modelserver.Server{
			Name: s.Name, URL: s.URL, Model: s.Model, Key: s.APIKey.Reveal(), IdleTimeout: s.IdleTimeout,
			Dialect: modelserver.Dialect{
				WithoutUsage:    !s.Dialect.AskUsage,
				MaxTokensField:  s.Dialect.MaxTokensField,
				CachedBeside:    s.Dialect.CachedTokens == config.CachedBeside,
				CachedField:     s.Dialect.CachedField,
				CacheWriteField: s.Dialect.CacheWriteField,
			},
		}
	}
	for i, s := range m.ModelServers {
		for _, spoken := range s.Native {
			servers[i].Native = append(servers[i].Native, completion.Format(spoken))
		}
	}
	pool, err := modelserver.NewPool(servers, modelserver.Options{
		MaxLine: int(cfg.Limits.MaxLineBytes), HealthInterval: cfg.Intervals.Health,
		Picker: prefix.NewPicker(books.index),
	})
	if err != nil {
		return nil, err
	}
	return &model{Model: m, backend: poolBackend{pool}, pool: pool}, nil
}

func pace(asked, standard time.Duration) time.Duration {
	if asked == 0 {
		return standard
	}
	return max(asked, 0)
}

// poolBackend answers from model servers.
type poolBackend struct{ pool *modelserver.Pool }

// Open implements [generation.Backend].
func (b poolBackend) Open(ctx context.Context, req *completion.Request) (generation.Source, error) {
	reply, err := b.pool.Open(ctx, req)
	if err != nil {
		return nil, err
	}
	return reply, nil
}

// sampleBackend answers from the built-in sample model.
type sampleBackend struct {
	model  sample.Model
	ledger *prefix.Ledger
}

// Open implements [generation.Backend].
func (b sampleBackend) Open(ctx context.Context, req *completion.Request) (generation.Source, error) {
	s, err := generation.OpenSequence("sample", b.model.Generate(ctx, req))
	if err != nil {
		return nil, err
	}
	prompt := int64(b.model.Counter.CountMessages(req.Messages))
	read := b.ledger.Prefill(prefix.NewChain(req.Org, req), prompt)
	return &sampleSource{s, completion.Route{
		Server: s.Server(), Reason: prefix.ReasonOnlyServer, ExpectedReuse: read.CachedTokens, Cache: read.Lookup(),
	}}, nil
}

// sampleSource is a reply of the sample model, with what the books say of its
// prompt.
type sampleSource struct {
	*generation.Sequence
	route completion.Route
}

// Route tells the decision, as [generation.Source] asks.
func (s *sampleSource) Route() completion.Route { return s.route }
