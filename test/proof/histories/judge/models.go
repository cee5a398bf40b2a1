package main

import "github.com/anishathalye/porcupine"

// All fields of all models: README.md says which operation has which.
type input struct {
	Do      string   `json:"do"`
	Effect  string   `json:"effect"`
	Effects []string `json:"effects"`
	Request string   `json:"request"`
	At      int64    `json:"at"`
	Now     int64    `json:"now"`
	Until   int64    `json:"until"`
	Result  string   `json:"result"`
	Stage   string   `json:"stage"`
	Policy  string   `json:"policy"`
	As      string   `json:"as"`
	client  int
}

type output struct {
	N       int    `json:"n"`
	Request string `json:"request"`
	Applied bool   `json:"applied"`
	Is      string `json:"is"`
	Fence   int64  `json:"fence"`
	Result  string `json:"result"`
	Stored  bool   `json:"stored"`
}

var models = map[string]porcupine.Model{
	"counter":  modelOf(counter{}, counter.step),
	"register": modelOf(register{}, register.step),
	"token":    modelOf(token{}, token.step),
	"stage":    modelOf(stage{}, stage.step),
}

// modelOf takes all states that an operation may lead to. None: the answer was wrong. Without an answer `out` is nil.
func modelOf[S comparable](first S, step func(S, input, *output) []S) porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []interface{} { return []interface{}{first} },
		Step: func(state, in, out interface{}) []interface{} {
			var next []interface{}
			for _, each := range step(state.(S), in.(input), out.(*output)) {
				next = append(next, each)
			}
			return next
		},
	}
	return model.ToModel()
}

// only is the next state if the answer is right.
func only[S any](right bool, next S) []S {
	if right {
		return []S{next}
	}
	return nil
}
