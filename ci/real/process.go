package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// stopLimit is how long a server may take to stop when asked to; then its whole
// process group is killed.
const stopLimit = 10 * time.Second

// command is a command that takes everything it started along when ctx ends.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return signalGroup(cmd, syscall.SIGTERM) }
	cmd.WaitDelay = stopLimit
	return cmd
}

// signalGroup sends sig to the process and to all that it started. A group that
// is gone already is no error.
func signalGroup(cmd *exec.Cmd, sig syscall.Signal) error {
	err := syscall.Kill(-cmd.Process.Pid, sig)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// run runs cmd to its end with its output in log.
func run(cmd *exec.Cmd, log io.Writer) error {
	cmd.Stdout, cmd.Stderr = log, log
	err := cmd.Run()
	if cmd.Process != nil {
		_ = signalGroup(cmd, syscall.SIGKILL) // what it left behind
	}
	return err
}

// server is a process that serves until it is stopped.
type server struct {
	name   string
	cancel context.CancelFunc
	exited chan struct{} // closed once the process is gone
	err    error         // why it ended; valid after exited
}

// serve starts cmd, which was made from ctx, with its output in the file log.
func serve(ctx context.Context, log string, env []string, name string, args ...string) (*server, error) {
	out, err := os.Create(log)
	if err != nil {
		return nil, fmt.Errorf("keeping the log of %s: %w", name, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := command(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, errors.Join(fmt.Errorf("starting %s: %w", name, err), out.Close())
	}
	s := &server{name: name, cancel: cancel, exited: make(chan struct{})}
	go func() {
		defer close(s.exited)
		s.err = cmd.Wait()
		_ = signalGroup(cmd, syscall.SIGKILL)
		_ = out.Close()
	}()
	return s, nil
}

// stop ends the server and all that it started, and waits until they are gone.
func (s *server) stop() {
	s.cancel()
	<-s.exited
}
