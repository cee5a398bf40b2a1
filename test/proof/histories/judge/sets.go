package main

import "strings"

// A set of names that can be compared: sorted, each followed by a space.
type set string

func (s set) has(name string) bool { return strings.Contains(" "+string(s), " "+name+" ") }

func (s set) size() int { return strings.Count(string(s), " ") }

func (s set) with(name string) set {
	if s.has(name) {
		return s
	}
	names := strings.Fields(string(s))
	at := 0
	for at < len(names) && names[at] < name {
		at++
	}
	names = append(names[:at], append([]string{name}, names[at:]...)...)
	return set(strings.Join(names, " ") + " ")
}
