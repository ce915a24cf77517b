package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"plumbline.dev/plumbline/conformance"
	"plumbline.dev/plumbline/conformance/target"
	"plumbline.dev/plumbline/fakegpu/server"
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/gateway"
)

// referenceAlias begins the second name of each profile's first model.
const referenceAlias = "plumbline-alias-"

// referenceListeners are the profiles that it serves, each at an address of its own.
var referenceListeners = []config.Profile{config.ProfileMortar, config.ProfileNotholy}

// listenerOf returns which listener keeps what these documents say, by the names
// of their profiles with commas between.
func listenerOf(profiles string) config.Profile {
	if slices.Contains(strings.Split(profiles, ","), string(config.ProfileNotholy)) {
		return config.ProfileNotholy
	}
	return config.ProfileMortar
}

// startReference starts the reference gateway in front of a fake GPU, both in
// this process and on free ports, and makes them the target.
func startReference(ctx context.Context, settings target.Config, t *conformance.Target) (stop func(), err error) {
	address := settings.ModelServer
	if address == "" {
		address = "127.0.0.1:0"
	}
	gpu, err := server.Listen(ctx, address, server.Options{})
	if err != nil {
		return nil, fmt.Errorf("start the fake GPU: %w", err)
	}
	urls, end, err := startGateway(ctx, gpu.URL(), settings.Intervals)
	if err != nil {
		gpu.Close()
		return nil, err
	}
	profile := listenerOf(t.Profile)
	t.BaseURL, t.Control, t.Reference = urls[profile], gpu.URL(), true
	t.Key, t.Key2, t.Org2Key = referenceKey, referenceKey2, referenceOrg2Key
	t.PoorKey, t.LimitedKey, t.Alias = referencePoorKey, referenceLimitedKey, referenceAlias+string(profile)
	return func() {
		gpu.Close() // first, so that no reply holds the gateway's drain
		end()
	}, nil
}

// startGateway starts the reference gateway in front of a model server. It returns
// where each profile is served.
func startGateway(ctx context.Context, modelServer string, intervals target.Intervals) (urls map[config.Profile]string, stop func(), err error) {
	gatewayConfig, err := referenceConfig(modelServer, intervals)
	if err != nil {
		return nil, nil, fmt.Errorf("configure the reference gateway: %w", err)
	}
	g, err := gateway.New(gatewayConfig, gateway.Deps{})
	if err == nil {
		err = g.Listen()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("start the reference gateway: %w", err)
	}
	// Not ctx: what a Ctrl-C interrupts is the run, which reports before its peers end.
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	served := make(chan error, 1)
	go func() { served <- g.Serve(serving) }()
	urls = map[config.Profile]string{}
	for i, profile := range referenceListeners {
		urls[profile] = g.URL(i)
	}
	return urls, func() {
		end()
		<-served
	}, nil
}

func referenceConfig(modelServer string, intervals target.Intervals) (*config.Config, error) {
	c := config.Default(config.ProfileMortar)
	c.Models, c.Listeners = nil, nil
	for _, profile := range referenceListeners {
		listener := config.Listener{Address: "127.0.0.1:0", Profile: profile}
		for i, model := range referenceModels(profile, modelServer) {
			if i == 0 {
				model.Aliases = []string{referenceAlias + string(profile)}
			}
			c.Models, listener.Models = append(c.Models, model), append(listener.Models, model.ID)
		}
		c.Listeners = append(c.Listeners, listener)
	}
	c.Organizations = referenceOrganizations()
	if intervals.Ping > 0 {
		c.Intervals.Ping = intervals.Ping
	}
	if intervals.TelemetryPing > 0 {
		c.Intervals.TelemetryPing = intervals.TelemetryPing
	}
	if intervals.Tick > 0 {
		c.Intervals.Tick = intervals.Tick
	}
	return c, c.Complete()
}
