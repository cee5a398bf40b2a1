package main

// A newest-wins register: it has the value of the newest request that has written.
type register struct {
	at      int64
	request string
	written set
}

func (s register) step(in input, out *output) []register {
	switch in.Do {
	case "put":
		next := s
		if in.At > s.at {
			next = register{in.At, in.Request, s.written.with(in.Request)}
		}
		// A repeated request gets the answer of its first write.
		return only(out == nil || out.Applied == next.written.has(in.Request), next)
	case "acknowledge":
		return only(s.at >= in.At, s)
	case "read":
		return only(out.Request == s.request, s)
	}
	return nil
}
