// Package gateway is the HTTP face of the reference gateway: listeners, routes,
// keys, models, and what ties a request to a generation.
//
//	g, err := gateway.New(cfg, gateway.Deps{Log: log})
//	…
//	err = g.Listen()        // addresses are known from here on
//	err = g.Serve(ctx)      // until ctx ends; then it drains
//
// A [config.Config] made in memory serves as well as one read from a file, so
// the gateway can run inside another process. The choices made where the
// documents are silent are written down in reference/README.md.
package gateway
