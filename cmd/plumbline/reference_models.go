package main

import (
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/price"
)

// referenceModels are the models of a profile that the gateway of a run without a
// target serves: the document's own first, which makes it the default, and others
// whose prices are harder to add up.
func referenceModels(profile config.Profile, modelServer string) []config.Model {
	models := []config.Model{config.DefaultModel(profile)}
	if profile == config.ProfileMortar {
		models = append(models, hardPrices()...)
	}
	for i := range models {
		models[i].ContextWindow = models[0].ContextWindow
		models[i].ModelServers = []config.ModelServer{{URL: modelServer + "/v1", Dialect: config.DefaultDialect()}}
	}
	return models
}

func hardPrices() []config.Model {
	return []config.Model{
		{
			// Every amount takes more digits than are sent, and what is saved by a read
			// is nearly what is lost by a write: sums of such savings are so small
			// that only exact ones are right.
			ID: "plumbline/long-prices",
			Prices: price.Prices{
				Input: price.MustParse("0.03131234567890123"), Output: price.MustParse("0.2373123456789012345"),
				CacheRead: price.MustParse("0.01126666677766664"), CacheWrite: price.MustParse("0.05135802458013579"),
			},
		},
		{
			// A price of 0 beside others must not be taken for none.
			ID: "plumbline/free-reads",
			Prices: price.Prices{
				Input: price.MustParse("0.0313"), Output: price.MustParse("0"),
				CacheRead: price.MustParse("0"), CacheWrite: price.MustParse("0.039125"),
			},
		},
		{ID: "plumbline/free"},
	}
}
