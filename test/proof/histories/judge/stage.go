package main

// The stage record of a key: one request at a time has it, its stages run one after the other, each by one attempt at a time
// until its lease is over, and the fence grows with each start. With the policy `newest` a newer request takes the key.
type stage struct {
	run        string
	at, newest int64
	check, pay slot
	over       set
	fence      int64
}

type slot struct {
	done   bool
	client int
	until  int64
}

func (s stage) slot(name string) slot {
	if name == "pay" {
		return s.pay
	}
	return s.check
}

func (s stage) with(name string, changed slot) stage {
	if name == "pay" {
		s.pay = changed
	} else {
		s.check = changed
	}
	return s
}

func (s stage) step(in input, out *output) []stage {
	switch in.Do {
	case "start":
		return s.start(in, out)
	case "giveBack":
		if s.holds(in) {
			return []stage{s, s.with(in.Stage, slot{})}
		}
		return only(true, s)
	case "complete":
		if s.holds(in) && out == nil {
			// Perhaps it failed before its end was written, and gave its claim back.
			return []stage{s, s.complete(in), s.with(in.Stage, slot{})}
		}
		if s.holds(in) {
			return []stage{s.complete(in)}
		}
		// An attempt that took over may have completed it.
		return only(out == nil || s.isDone(in), s)
	case "acknowledge":
		return only(s.mayGo(in), s)
	}
	return nil
}

func (s stage) holds(in input) bool {
	return s.run == in.Request && s.slot(in.Stage).client == in.client
}

func (s stage) start(in input, out *output) []stage {
	next, may := s.claim(in)
	if out != nil && out.Is == "granted" {
		next.fence = out.Fence
		return only(may && out.Fence > s.fence, next)
	}
	if out == nil && may {
		return []stage{s, next}
	}
	return only(true, s)
}

// claim is the record after a start, and whether it may start.
func (s stage) claim(in input) (stage, bool) {
	mine := slot{client: in.client, until: in.Until}
	if s.run == in.Request {
		old := s.slot(in.Stage)
		inTurn := in.Stage == "check" || s.check.done
		return s.with(in.Stage, mine), inTurn && !old.done && in.Now >= old.until
	}
	next := stage{run: in.Request, at: in.At, newest: in.At, check: mine, over: s.over, fence: s.fence}
	if s.newest > in.At {
		next.newest = s.newest
	}
	may := in.Stage == "check" && !s.over.has(in.Request)
	if in.Policy == "newest" {
		if s.run != "" {
			next.over = s.over.with(s.run)
		}
		return next, may && in.At > s.newest
	}
	return next, may && s.run == ""
}

func (s stage) complete(in input) stage {
	if in.Stage == "pay" {
		return stage{newest: s.newest, over: s.over.with(in.Request), fence: s.fence}
	}
	return s.with("check", slot{done: true})
}

func (s stage) isDone(in input) bool {
	return s.over.has(in.Request) || (s.run == in.Request && s.slot(in.Stage).done)
}

// mayGo says whether a message is no longer needed.
func (s stage) mayGo(in input) bool {
	return s.isDone(in) || (in.As == "superseded" || in.As == "stale") && s.newest > in.At
}
