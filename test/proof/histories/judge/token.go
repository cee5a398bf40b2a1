package main

// A lock token: one holder at a time until its lease is over; its end is stored once, and is what later callers get.
type token struct {
	held, ended bool
	client      int
	until       int64
	fence       int64
	result      string
}

func (s token) step(in input, out *output) []token {
	switch in.Do {
	case "begin":
		return s.begin(in, out)
	case "end", "release":
		holds := s.held && s.client == in.client
		next := s
		next.held = false
		if in.Do == "end" {
			next.ended, next.result = true, in.Result
		}
		if out == nil && holds {
			return []token{s, next}
		}
		if out == nil {
			return only(true, s)
		}
		if !out.Stored {
			// A release whose first answer was lost finds the next holder.
			if holds && in.Do == "release" {
				return []token{next}
			}
			return only(!holds, s)
		}
		return only(holds, next)
	}
	return nil
}

func (s token) begin(in input, out *output) []token {
	free := !s.ended && (!s.held || in.At >= s.until)
	next := token{held: true, client: in.client, until: in.Until, fence: s.fence}
	if out == nil && free {
		return []token{s, next}
	}
	if out == nil {
		return only(true, s)
	}
	switch out.Is {
	case "claimed":
		next.fence = out.Fence
		return only(free && out.Fence > s.fence, next)
	case "inProgress":
		return only(s.held, s)
	case "complete":
		return only(s.ended && s.result == out.Result, s)
	}
	return nil
}
