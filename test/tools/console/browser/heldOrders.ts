import type { BrokenShop } from '../../../documents/broken/brokenShop.ts'

/**
 * A redrive waits ten seconds for what became of the first ones that it has sent. While nobody consumes them it is seen, stopped and
 * killed in its middle, however slow the machine.
 */
export async function holdOrders(shop: Pick<BrokenShop, 'type'>): Promise<() => Promise<void>> {
  await typeAndApply(shop, 'pause', '--consumer', 'orders', '--for', '1h')
  return () => typeAndApply(shop, 'resume', '--consumer', 'orders')
}

async function typeAndApply({ type }: Pick<BrokenShop, 'type'>, ...words: string[]): Promise<void> {
  const { out } = await type(...words)
  const plan = /--apply ([0-9a-f]{8})\b/.exec(out)?.[1]
  if (plan === undefined) throw new Error(`no plan: ${out}`)
  const { code, err } = await type(...words, '--apply', plan, '--why', 'a redrive is watched')
  if (code !== 0) throw new Error(err)
}
