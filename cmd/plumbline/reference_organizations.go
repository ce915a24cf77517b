package main

import (
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/limit"
	"plumbline.dev/plumbline/reference/price"
)

// Keys of the reference gateway that is started for a run.
const (
	referenceKey     = "sk-plumbline-reference-key-1"
	referenceKey2    = "sk-plumbline-reference-key-2"
	referenceOrg2Key = "sk-plumbline-reference-other"
	// referencePoorKey belongs to an organization without credits.
	referencePoorKey = "sk-plumbline-reference-poor"
	// referenceLimitedKey is over its limit of requests, always.
	referenceLimitedKey = "sk-plumbline-reference-limited"
)

// referenceOrganizations have balances that no run uses up, so that charges can
// be read, but for the one that has none.
func referenceOrganizations() []config.Organization {
	large, none, nothing := price.MustParseMoney("1000000"), price.Money{}, int64(0)
	limited := config.KeyFrom("limited", referenceLimitedKey)
	limited.Limits = limit.Limits{RequestsPerMinute: &nothing}
	return []config.Organization{
		{ID: "org-1", Credits: &large, Keys: []config.Key{config.KeyFrom("key-1", referenceKey), config.KeyFrom("key-2", referenceKey2), limited}},
		{ID: "org-2", Credits: &large, Keys: []config.Key{config.KeyFrom("key-3", referenceOrg2Key)}},
		{ID: "org-poor", Credits: &none, Keys: []config.Key{config.KeyFrom("poor", referencePoorKey)}},
	}
}
