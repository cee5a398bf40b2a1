import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { memoryStore } from '../../src/testing/index.ts'
import type { IdempotentOptions } from '../../src/library/entries/call/idempotentOptions.ts'
import type { InvocationHandlerOptions } from '../../src/library/entries/call/invocation/options.ts'
import type { RecordHandlerOptions } from '../../src/library/entries/consumer/options.ts'
import {
  type OptionOf,
  optionsOf,
  type OptionPlace,
} from '../../src/library/entries/consumer/optionTable.ts'
import type { WriteHandlerOptions } from '../../src/library/entries/consumer/returned/writeHandler.ts'
import type {
  Answers,
  AwaitOptions,
  FlowOptions,
  StageOptions,
  StagesOptions,
} from '../../src/library/entries/flow/options.ts'
import {
  defineFlow,
  idempotent,
  invocationHandler,
  recordHandler,
  writeHandler,
} from '../../src/library/index.ts'

type Given<Options> = {
  [Name in keyof Options]-?: Options[Name] extends undefined ? never : Name
}[keyof Options]

test('an option without a row, or a row without its option, does not compile', () => {
  expectTypeOf<OptionOf<'record'>>().toEqualTypeOf<keyof RecordHandlerOptions>()
  expectTypeOf<OptionOf<'write'>>().toEqualTypeOf<Given<WriteHandlerOptions<typeof schema>>>()
  expectTypeOf<OptionOf<'flow'>>().toEqualTypeOf<keyof FlowOptions<StagesOptions, Answers>>()
  expectTypeOf<OptionOf<'stage'>>().toEqualTypeOf<keyof StageOptions>()
  expectTypeOf<OptionOf<'step'>>().toEqualTypeOf<keyof AwaitOptions>()
  expectTypeOf<OptionOf<'invocation'>>().toEqualTypeOf<
    keyof InvocationHandlerOptions<unknown, unknown>
  >()
  expectTypeOf<OptionOf<'function'>>().toEqualTypeOf<keyof IdempotentOptions<[], unknown>>()
})

const store = memoryStore()
const schema = z.object({ id: z.string() })
const key = (): string => 'k'
const stage = { schema }
const step = { schema, id: key }

type Make = (more: object) => unknown

const PLACES: Readonly<Record<OptionPlace, Make>> = {
  record: (more) => recordHandler({ name: 'r', store, ...more }, () => {}),
  write: (more) => writeHandler({ name: 'r', store, ...more }, () => undefined),
  flow: (more) => defineFlow({ name: 'f', store, key, stages: { stage }, ...more }),
  stage: (more) => defineFlow({ name: 'f', store, key, stages: { stage: { ...stage, ...more } } }),
  step: (more) =>
    defineFlow({
      name: 'f',
      store,
      key,
      stages: { stage },
      awaitingSteps: { step: { ...step, ...more } },
    }),
  invocation: (more) => invocationHandler({ name: 'i', store, ...more }, () => 'done'),
  function: (more) => idempotent({ store, key, ...more }, () => Promise.resolve('done')),
}

const EVERY = [...new Set(Object.keys(PLACES).flatMap((place) => optionsOf(place as OptionPlace)))]
const UNKNOWN = /is not known here|not an option of writeHandler/

describe.each(Object.entries(PLACES))('%s', (place, make) => {
  const known = optionsOf(place as OptionPlace)

  test.each(EVERY)('%s is taken, or refused by its name', (name) => {
    // No option takes it: what is known is refused for its value, or taken for one to be looked at later.
    const refused = refusalOf(() => make({ [name]: Symbol('no value of an option') }))
    expect(UNKNOWN.test(refused ?? '')).toBe(!known.includes(name))
    expect(refused ?? name).toContain(name)
  })
})

test.each(['record', 'write', 'flow', 'invocation'] as const)(
  'a wrong name is refused with the characters that %s takes',
  (place) => {
    expect(refusalOf(() => PLACES[place]({ name: 'a b' }))).toContain(
      'name: expected letters, digits, ".", "_" or "-", at most 128; got "a b"',
    )
  },
)

function refusalOf(make: () => unknown): string | undefined {
  try {
    make()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
