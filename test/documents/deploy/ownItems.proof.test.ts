import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Consumer } from '../../../examples/deploy/consumer.ts'
import { roleOf } from '../../../examples/deploy/role.ts'
import { ROOT } from '../readme/documents.ts'
import type { ExampleToRun, Touched } from './touchedKeys.ts'
import { prefixesOf, statementsOf } from './unsafe.ts'

interface Example {
  readonly count: number
  /** Functions of other examples that it runs. */
  readonly also?: readonly string[]
  /** Names of keys of functions that it has and serverless.yml does not deploy. */
  readonly undeployed?: readonly string[]
  /** It runs the sweeper, which may touch the items of all. */
  readonly sweeps?: true
}

/** Examples that together make every kind of item; first those that wait longest. */
const EXAMPLES: Readonly<Record<string, Example>> = {
  'provider-down': { count: 6 },
  'external-callback': { count: 10 },
  orders: { count: 3 },
  'chain-lambdas': { count: 3 },
  'payments-api': { count: 3, undeployed: ['payouts', 'web-payments', 'statements'] },
  schedule: { count: 2, also: ['ledger'] },
  'provider-webhook': { count: 3 },
  reminder: { count: 2, sweeps: true },
  'large-payloads': { count: 2 },
}

interface Yaml {
  readonly custom: { readonly consumers: Readonly<Record<string, Omit<Consumer, 'name'>>> }
  readonly functions: Readonly<Record<string, { readonly handler: string; readonly role: string }>>
}

type Roles = Readonly<Record<string, { readonly Properties: Readonly<Record<string, unknown>> }>>

function read(file: string): unknown {
  return parse(readFileSync(join(ROOT, file), 'utf8'), { merge: true, logLevel: 'silent' })
}

/** The prefixes of the items that each function of an example may touch. */
function allowed(example: string, also: readonly string[]): string[][] {
  const { custom, functions } = read('serverless.yml') as Yaml
  const { Resources } = read('examples/deploy/roles.yml') as { readonly Resources: Roles }
  const made = Object.entries(custom.consumers).map(([name, rest]) => roleOf({ name, ...rest }))
  const roles = Object.assign({}, Resources, ...made) as Roles
  const own = Object.entries(functions).filter(
    ([name, { handler }]) => handler.startsWith(`examples/${example}/`) || also.includes(name),
  )
  return own.map(([, { role }]) => statementsOf(roles[role]?.Properties ?? {}).flatMap(prefixesOf))
}

/** Examples wait more than they compute. */
const PROCESSES = 4

let touched: Touched
beforeAll(async () => {
  const all = Object.entries(EXAMPLES).map(([example, { count }]) => ({ example, count }))
  const shares = Array.from({ length: PROCESSES }, (_, share) =>
    all.filter((_example, nth) => nth % PROCESSES === share),
  )
  touched = Object.assign({}, ...(await Promise.all(shares.map(runInProcess)))) as Touched
})

/** In a process of its own, because examples set its environment. */
async function runInProcess(examples: readonly ExampleToRun[]): Promise<Touched> {
  const child = fork(join(import.meta.dirname, 'touchedKeys.ts'), [JSON.stringify(examples)], {
    execArgv: ['--conditions=lineclear:source'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'close').then(() => {
    throw new Error('an example failed: see above')
  })
  const [keys] = (await Promise.race([once(child, 'message'), ended])) as [Touched]
  return keys
}

/** The place of its search. */
const OF_SWEEPER = 'searches'

function fits(key: string, prefix: string): boolean {
  return prefix.endsWith('*') ? key.startsWith(prefix.slice(0, -1)) : key === prefix
}

it.each(Object.entries(EXAMPLES))(
  '%s touches only items that its roles name, and some of each role',
  (name, { also = [], undeployed = [], sweeps }) => {
    const keys = touched[name] ?? []
    const roles = allowed(name, also)
    const prefixes = roles.flat()
    const known = [...prefixes, ...undeployed.flatMap((each) => [`key#${each}/*`, `key#${each}@*`])]
    const others = keys.filter((key) => !known.some((prefix) => fits(key, prefix)))
    expect(others).toEqual(sweeps ? [OF_SWEEPER] : [])
    const isIdle = (own: readonly string[]): boolean =>
      !own.some((prefix) => keys.some((key) => fits(key, prefix)))
    expect(roles.length).toBeGreaterThan(0)
    expect(roles.filter(isIdle)).toEqual([])
  },
)
