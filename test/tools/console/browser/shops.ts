import { resolve } from 'node:path'
import { startCloud } from '../../cli/operatorHarness.ts'
import { startBrokenShop, type BrokenShop } from '../../../documents/broken/brokenShop.ts'
import { consoleAt, type ConsoleOfTest, consoleOn, devOf } from './consoleAt.ts'
import { manyItems } from './manyItems.ts'

const DEV_FILE = resolve(import.meta.dirname, '../../../../examples/orders/dev.ts')

/** What the pages are looked at with. */
export interface Shops {
  /** Nothing has ever run. */
  readonly empty: ConsoleOfTest
  /** `npm run demo -- --broken`: one of each fault. */
  readonly broken: ConsoleOfTest & Pick<BrokenShop, 'fix' | 'type'>
  /** 100,000 requests that wait for an operator. */
  readonly many: ConsoleOfTest
  /** `lineclear dev` with the orders of the examples. */
  readonly dev: ConsoleOfTest
}

type OnCleanup = (stop: () => Promise<void>) => unknown

/** A broken shop to change things in. */
export async function startPractice(onCleanup: OnCleanup): Promise<Shops['broken']> {
  const { place, fix, type, ...shop } = await startBrokenShop()
  const console = await consoleAt(place)
  onCleanup(async () => {
    await console.stop()
    await shop[Symbol.asyncDispose]()
  })
  return { ...console, fix, type }
}

/** The same, each started when it is first asked for. */
export type ShopsOnDemand = { readonly [Name in keyof Shops]: () => Promise<Shops[Name]> }

/** Most files look at one or two of them, and each takes seconds to start. */
export function shopsOnDemand(onCleanup: OnCleanup): ShopsOnDemand {
  return {
    empty: once(() => startEmpty(onCleanup)),
    broken: once(() => startPractice(onCleanup)),
    many: once(() => startMany(onCleanup)),
    dev: once(async () => {
      const console = await devOf(DEV_FILE)
      onCleanup(console.stop)
      return console
    }),
  }
}

async function startEmpty(onCleanup: OnCleanup): Promise<ConsoleOfTest> {
  const cloud = await startCloud()
  const { dynamodb, sqs } = cloud.endpoints
  const console = await consoleOn({ dynamodb, sqs, table: 'lineclear' })
  onCleanup(async () => {
    await console.stop()
    await cloud.stop()
  })
  return console
}

async function startMany(onCleanup: OnCleanup): Promise<ConsoleOfTest> {
  const [cloud, items] = await Promise.all([startCloud(), manyItems()])
  const { sqs } = cloud.endpoints
  const console = await consoleOn({ sqs, dynamodb: items.dynamodb, table: items.table })
  onCleanup(async () => {
    await console.stop()
    await Promise.all([cloud.stop(), items.stop()])
  })
  return console
}

function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined
  return () => (started ??= start())
}
