package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"
)

const watchHelp = `watch follows the requests of a session as they happen: the routing decision, what
the prefix cache held, latency, cost, and after each request the sums of the
session. It reads the gateway's telemetry stream, says so when the stream is
lost, and comes back to it.

The gateway shows only the requests of the key's own organization. Requests name
their session in the header X-Mortar-Session-Id.`

const watchExample = `  plumbline gateway &
  plumbline watch --session s1 --key dev-key &
  curl -N http://127.0.0.1:8080/v1/chat/completions -H "Authorization: Bearer dev-key" \
    -H "X-Mortar-Session-Id: s1" -H "Content-Type: application/json" \
    -d '{"messages": [{"role": "user", "content": "Write a haiku about GPUs."}], "stream": true}'`

// watchKeyVariable keeps the key out of the process list.
const watchKeyVariable = "PLUMBLINE_KEY"

func newWatchCommand() *cobra.Command {
	f := follower{first: time.Second, longest: 15 * time.Second}
	var base, session string
	var raw bool
	cmd := &cobra.Command{
		Use:     "watch --session S",
		Short:   "Follow the requests of a session as they happen",
		Long:    watchHelp,
		Example: watchExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if f.address, err = watchAddress(base, session); err != nil {
				return err
			}
			f.key, f.warnings = cmp.Or(f.key, os.Getenv(watchKeyVariable)), cmd.ErrOrStderr()
			if f.key == "" {
				fmt.Fprintln(f.warnings, "warning: without a key the stream stays empty: give --key or "+watchKeyVariable)
			}
			f.print = func(name string, data []byte) error { return printTelemetry(cmd.OutOrStdout(), name, data) }
			if raw {
				f.print = func(name string, data []byte) error { return printRaw(cmd.OutOrStdout(), name, data) }
			}
			return f.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&session, "session", "", "`name` of the session to follow")
	flags.StringVar(&base, "url", "http://127.0.0.1:8080", "`URL` of the gateway")
	flags.StringVar(&f.key, "key", "", "API `key`; "+watchKeyVariable+" keeps it out of the process list")
	flags.BoolVar(&raw, "json", false, "print each event as a line of JSON, with its name as event")
	return cmd
}

// watchAddress builds the address of the telemetry stream.
func watchAddress(base, session string) (string, error) {
	if session == "" {
		return "", errors.New("--session names no session: give the name that requests send in X-Mortar-Session-Id")
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errors.New("--url has to be the address of a gateway, such as http://127.0.0.1:8080")
	}
	u = u.JoinPath("v1/telemetry/stream")
	u.RawQuery = url.Values{"session": {session}}.Encode()
	return u.String(), nil
}
