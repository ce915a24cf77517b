package main

import (
	"context"
	"sync/atomic"
	"time"
)

// Ollama 0.24 has been seen to stop answering for good after clients had left in
// the middle of their replies. Without a watch, one such moment would turn every
// later verdict of the run into a time-out.
const (
	watchEvery = 10 * time.Second
	watchLimit = 25 * time.Second // far more than four prompts that fill the tiny model's context
)

// watch asks Ollama for one token every so often and reloads its model when none
// comes. stop ends the watch and returns how many times that was needed.
func (o *ollama) watch(ctx context.Context, every time.Duration) (stop func() int) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	var reloads atomic.Int64
	go func() {
		defer close(done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if o.answers(ctx) || ctx.Err() != nil {
				continue
			}
			reloads.Add(1)
			_ = o.unload(ctx) // one that fails is tried again at the next tick
		}
	}()
	return func() int {
		cancel()
		<-done
		return int(reloads.Load())
	}
}

func (o *ollama) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, watchLimit)
	defer cancel()
	_, err := stream(ctx, o.url, "", 1, nil)
	return err == nil
}
