package mutant

// slotted is a mutant that serves so many chat completions at a time, and lets
// the others wait.
func slotted(n int) wrap {
	return stateful(func(Upstream) relay {
		slots := make(chan struct{}, n)
		return relay{request: func(x *exchange) {
			if !x.isChat() {
				return
			}
			select {
			case slots <- struct{}{}:
				x.onClose(func() { <-slots })
			case <-x.ctx.Done():
			}
		}}
	})
}

func loads() []Mutant {
	row, all := []string{"mortar-cancel-11"}, []string{"*"} // whatever streams beside another one
	return []Mutant{
		{Name: "streams-one-at-a-time", Summary: "two streams take the same lock", Report: "oobabooga/textgen#2475", Breaks: row, May: all, Wrap: slotted(1)},
		{Name: "streams-four-at-a-time", Summary: "a fifth stream waits until one of four ends", Breaks: row, May: all, Wrap: slotted(4)},
	}
}
