// Reads histories, one operation a line, and lets Porcupine decide for each model and key whether some order of its operations
// explains all answers. It prints a line for each history that has none, and exits with 1.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

type line struct {
	History string          `json:"history"`
	Model   string          `json:"model"`
	Key     string          `json:"key"`
	Client  int             `json:"client"`
	Call    int64           `json:"call"`
	Return  *int64          `json:"return"`
	Input   json.RawMessage `json:"input"`
	Output  json.RawMessage `json:"output"`
}

type part struct{ model, key string }

// The operations of one history by model and key.
type history struct {
	name  string
	count int
	parts map[part][]porcupine.Operation
}

type verdict struct{ judged, operations, shortest, refused, undecided int }

const patience = 20 * time.Second

func main() {
	sum := verdict{shortest: math.MaxInt}
	one := history{}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var given line
		if err := json.Unmarshal(lines.Bytes(), &given); err != nil {
			fail(err)
		}
		// The lines of a history stand together.
		if given.History != one.name {
			sum.judge(one)
			one = history{given.History, 0, map[part][]porcupine.Operation{}}
		}
		one.count++
		where := part{given.Model, given.Key}
		one.parts[where] = append(one.parts[where], operation(given))
	}
	if err := lines.Err(); err != nil {
		fail(err)
	}
	sum.judge(one)
	fmt.Printf("judged %d histories, %d operations, at least %d in each: %d refused, %d undecided\n",
		sum.judged, sum.operations, sum.shortest, sum.refused, sum.undecided)
	if sum.refused+sum.undecided > 0 || sum.judged == 0 {
		os.Exit(1)
	}
}

// A history counts once, whatever number of its parts is refused.
func (sum *verdict) judge(one history) {
	if one.count == 0 {
		return
	}
	sum.judged++
	sum.operations += one.count
	sum.shortest = min(sum.shortest, one.count)
	refused, undecided := 0, 0
	for where, list := range one.parts {
		model, known := models[where.model]
		if !known {
			fail(fmt.Errorf("no model %q", where.model))
		}
		switch porcupine.CheckOperationsTimeout(model, list, patience) {
		case porcupine.Illegal:
			refused = 1
			fmt.Printf("refused %s: no order explains %s %s\n", one.name, where.model, where.key)
		case porcupine.Unknown:
			undecided = 1
			fmt.Printf("undecided %s: %s %s\n", one.name, where.model, where.key)
		}
	}
	sum.refused += refused
	sum.undecided += undecided
}

func operation(given line) porcupine.Operation {
	var in input
	if err := json.Unmarshal(given.Input, &in); err != nil {
		fail(err)
	}
	in.client = given.Client
	var out *output
	// An unknown outcome has an open end: it may take effect at any later time, or never.
	end := int64(math.MaxInt64)
	if given.Return != nil {
		end = *given.Return
		if err := json.Unmarshal(given.Output, &out); err != nil {
			fail(err)
		}
	}
	return porcupine.Operation{Input: in, Call: given.Call, Output: out, Return: end}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(2)
}
