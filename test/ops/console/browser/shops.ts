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

/** A broken shop to change things in. */
export async function startPractice(
  onCleanup: (stop: () => Promise<void>) => void,
): Promise<Shops['broken']> {
  const { place, fix, type, ...shop } = await startBrokenShop()
  const console = await consoleAt(place)
  onCleanup(async () => {
    await console.stop()
    await shop[Symbol.asyncDispose]()
  })
  return { ...console, fix, type }
}

export async function startShops(onCleanup: (stop: () => Promise<void>) => void): Promise<Shops> {
  const [shop, cloud, items] = await Promise.all([startBrokenShop(), startCloud(), manyItems()])
  const { dynamodb, sqs } = cloud.endpoints
  const [broken, empty, many, dev] = await Promise.all([
    consoleAt(shop.place),
    consoleOn({ dynamodb, sqs, table: 'lineclear' }),
    consoleOn({ sqs, dynamodb: items.dynamodb, table: items.table }),
    devOf(DEV_FILE),
  ])
  onCleanup(async () => {
    await Promise.all([broken, empty, many, dev].map((each) => each.stop()))
    await Promise.all([shop[Symbol.asyncDispose](), cloud.stop(), items.stop()])
  })
  return { empty, many, dev, broken: { ...broken, fix: shop.fix, type: shop.type } }
}
