import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Engine, startDynoxide, startTypeScript } from '../../../store/dynoxide.ts'
import { findDynoxide } from '../../../store/findDynoxide.ts'
import { type Answer, comparable, send } from './call.ts'
import { step, tableInput } from './steps.ts'

let native: Engine
let own: Engine
beforeAll(async () => {
  ;[native, own] = await Promise.all([startDynoxide(), startTypeScript()])
})
afterAll(() => Promise.all([native.stop(), own.stop()]))

let tables = 0

const ALL = [
  'BatchExecuteStatement 200',
  'BatchExecuteStatement 400',
  'BatchGetItem 200',
  'BatchGetItem 400',
  'DeleteItem 200',
  'DeleteItem 400',
  'GetItem 200',
  'PutItem 200',
  'PutItem 400',
  'Query 200',
  'TransactWriteItems 200',
  'TransactWriteItems 400',
  'UpdateItem 200',
  'UpdateItem 400',
]

/** Where there is no native engine, there is nothing to compare with. */
it.runIf(findDynoxide() !== undefined)(
  'the engine in TypeScript answers as the native one',
  async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 30, size: 'max' }),
        async (steps) => {
          const TableName = `items-${++tables}`
          const both = (operation: string, request: object) =>
            Promise.all([native, own].map(({ endpoint }) => send(endpoint, operation, request)))
          await both('CreateTable', { ...tableInput, TableName })
          for (const { operation, request } of steps) {
            const asked = request(TableName)
            const [theirs, ours] = await both(operation, asked)
            const what = `${operation} ${JSON.stringify(asked)}`
            const compared = 'IndexName' in asked ? sorted : comparable
            expect(
              ours && compared(ours),
              `${what}\n${JSON.stringify(ours)}\n${JSON.stringify(theirs)}`,
            ).toEqual(theirs && compared(theirs))
            seen.add(`${operation} ${ours?.status}`)
          }
          const [theirs, ours] = await both('Scan', { TableName })
          expect(sorted(ours)).toEqual(sorted(theirs))
          await both('DeleteTable', { TableName })
        },
      ),
      { numRuns: 600 },
    )
    // What never happened was not compared.
    expect([...seen].toSorted()).toEqual(ALL)
  },
)

/** The order of a scan, and of items of an index whose keys are equal, is left open. */
function sorted(answer: Answer | undefined): unknown {
  const { Items = [], ...more } = (answer ? comparable(answer) : {}) as {
    readonly Items?: readonly Keyed[]
  }
  return { ...more, Items: Items.toSorted((one, other) => (place(one) < place(other) ? -1 : 1)) }
}

interface Keyed {
  readonly pk: { readonly S: string }
  readonly sk: { readonly N: string }
}

function place({ pk, sk }: Keyed): string {
  return `${pk.S} ${sk.N}`
}
