import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { StageVerdict } from '../../../src/library/protocol/claim/stage/verdict.ts'
import type { TokenVerdict } from '../../../src/library/protocol/claim/token/decideClaim.ts'
import { textOfModule } from './moduleOf.ts'
import { explore } from './tla/explore.ts'
import { parseModule } from './tla/parse.ts'

const CLAIM = resolve(import.meta.dirname, '../../../src/library/protocol/claim')

/** What the decisions of the code can say; the compiler misses none. */
const VERDICTS: {
  readonly Token: { readonly [Kind in TokenVerdict['kind']]: true }
  readonly Stage: { readonly [Kind in StageVerdict['kind']]: true }
} = {
  Token: {
    conflict: true,
    deadLetter: true,
    early: true,
    held: true,
    lost: true,
    mine: true,
    over: true,
    park: true,
    refuse: true,
    reopen: true,
    replaced: true,
    start: true,
    takeOver: true,
  },
  Stage: {
    abandonRun: true,
    abandonedMessage: true,
    begin: true,
    busy: true,
    deadLetter: true,
    deadLettering: true,
    drop: true,
    early: true,
    held: true,
    lookUp: true,
    mine: true,
    over: true,
    refuse: true,
    reopen: true,
    replaced: true,
    revive: true,
    start: true,
    takeOver: true,
    wait: true,
  },
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
  it.each(['Token', 'Stage'] as const)('%s', (module) => {
    expect(verdictsIn(textOfModule(module)).toSorted()).toEqual(
      Object.keys(VERDICTS[module]).toSorted(),
    )
  })

  it.each(['Token', 'Stage'] as const)('%s names functions that there are', (module) => {
    const code = globSync('**/*.ts', { cwd: CLAIM })
      .map((file) => readFileSync(resolve(CLAIM, file), 'utf8'))
      .join('\n')
    const text = textOfModule(module).replaceAll(/"[^"]*"/g, '')
    const named = [...text.matchAll(/(?:\\\*|\(\*.*) -> ([\w, ]+)/g)]
    const functions = named.flatMap(([, names = '']) => names.split(',').map((one) => one.trim()))
    expect(functions.length).toBeGreaterThan(5)
    const unknown = functions.filter((one) => !new RegExp(`function ${one}\\b`).test(code))
    expect(unknown).toEqual([])
  })
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
