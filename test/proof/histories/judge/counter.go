package main

// An exactly-once counter: each effect adds 1 once, and a request is acknowledged only when all of its effects have happened.
type counter struct{ done set }

func (s counter) step(in input, out *output) []counter {
	switch in.Do {
	case "add":
		return only(true, counter{s.done.with(in.Effect)})
	case "acknowledge":
		for _, effect := range in.Effects {
			if !s.done.has(effect) {
				return nil
			}
		}
		return only(true, s)
	case "read":
		return only(out.N == s.done.size(), s)
	}
	return nil
}
