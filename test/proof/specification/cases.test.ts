import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CHECKS } from './checks.ts'
import { textOfModule } from './moduleOf.ts'
import { explore } from './tla/explore.ts'
import { parseModule } from './tla/parse.ts'

const CLAIM = resolve(import.meta.dirname, '../../../src/claim')

const CODE = globSync('**/*.ts', { cwd: CLAIM })
  .map((file) => readFileSync(resolve(CLAIM, file), 'utf8'))
  .join('\n')

/** What a decision can say: `kind: 'a' | 'b'` in its types. */
function kindsIn(text: string): string[] {
  const lists = [...text.matchAll(/readonly kind: ((?:'\w+'(?: \| )?)+)/g)]
  return [...new Set(lists.flatMap(([, kinds = '']) => [...kinds.matchAll(/\w+/g)].map(String)))]
}

/** What the decision of a module says, and what it leaves to other models. */
function verdictsIn(text: string): string[] {
  const decision = text.slice(text.indexOf('(* The decision'), text.indexOf('(* Writes'))
  const said = [...decision.matchAll(/(?:THEN|ELSE|->)\s+"(\w+)"/g)]
  const outside = decision.slice(decision.indexOf('(* Outside')).matchAll(/`(\w+)`/g)
  const left = decision.includes('(* Outside') ? [...outside] : []
  return [...new Set([...said, ...left].map(([, verdict = '']) => verdict))]
}

describe('a specification has every case of the decision', () => {
  it.each([
    ['Token', ['TokenVerdict']],
    ['Stage', ['ClaimVerdict', 'EndVerdict', 'WaitVerdict', 'FirstVerdict']],
  ] as const)('%s', (module, types) => {
    const kinds = types.flatMap((type) => {
      const [declaration = ''] = new RegExp(`type ${type} =\\n(?:.+\\n)+`).exec(CODE) ?? []
      return kindsIn(declaration)
    })
    expect(kinds.length).toBeGreaterThan(8)
    expect(verdictsIn(textOfModule(module)).toSorted()).toEqual(kinds.toSorted())
  })

  it.each(['Token', 'Stage'] as const)('%s names functions that there are', (module) => {
    const text = textOfModule(module).replaceAll(/"[^"]*"/g, '')
    const named = [...text.matchAll(/(?:\\\*|\(\*.*) -> ([\w, ]+)/g)]
    const functions = named.flatMap(([, names = '']) => names.split(',').map((one) => one.trim()))
    expect(functions.length).toBeGreaterThan(5)
    const unknown = functions.filter((one) => !new RegExp(`function ${one}\\b`).test(CODE))
    expect(unknown).toEqual([])
  })
})

it('counts in test/README.md what the proof counts', () => {
  const states = CHECKS.reduce((sum, one) => sum + one.states, 0)
  const page = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8')
  expect(page).toContain(`${states.toLocaleString('en')} states`)
})

describe('the checker', () => {
  const MODULE = String.raw`
---- MODULE Lamp ----
VARIABLES lit, presses
vars == <<lit, presses>>
Init == /\ lit = FALSE /\ presses = 0
Press(by) ==
    /\ presses < 3
    /\ presses' = presses + by
    /\ lit' \in {TRUE, FALSE}
Rest == presses >= 3 /\ UNCHANGED vars
Next == (\E by \in 1..2 : Press(by)) \/ Rest
Spec == Init /\ [][Next]_vars
Few == presses <= 4
Fewer == [lit |-> lit, n |-> presses].n # 4
====`

  const search = (promise: string) =>
    explore(parseModule(MODULE), { constants: {}, promises: [promise], most: 100 })

  it('counts every state once', () => {
    expect(search('Few')).toEqual({ states: 9 })
  })

  it('shows the shortest way to a state that breaks a promise', () => {
    expect(search('Fewer').broken).toMatchObject({ promise: 'Fewer', way: { length: 2 } })
  })

  it('says when nothing can happen any more', () => {
    const stuck = parseModule(MODULE.replace('presses >= 3 /\\', 'presses > 3 /\\'))
    const found = explore(stuck, { constants: {}, promises: ['Few'], most: 100 })
    expect(found.broken?.promise).toBe('stuck')
  })
})
