import type { Load } from '../doctor/index.ts'
import type { ExitCode, Io } from './command.ts'
import { printJson } from './printJson.ts'
import { tableLines } from './table.ts'

/** Prints what a rate asks of AWS; makes no call. @returns 1 if table or index do not hold; what is found late is no fault */
export async function doctorRate(load: Load, io: Io): Promise<ExitCode> {
  const { ceilingsAt, priceOf } = await import('../doctor/index.ts')
  const ceilings = ceilingsAt(load)
  const price = priceOf(load)
  const holds = ceilings.every(({ of, fits }) => fits || of === 'search')
  const code = holds ? 0 : 1
  if (io.json) {
    printJson(io, { load, ceilings, price })
    return code
  }
  const rows = ceilings.map(({ of, needs, holds, fits }) => [
    of,
    needs,
    holds,
    fits ? '' : of === 'search' ? 'late' : 'NO',
  ])
  for (const line of tableLines(['PART', 'NEEDS', 'HOLDS', 'FITS'], rows, undefined)) io.out(line)
  for (const { of, advice } of ceilings) if (advice !== undefined) io.out(`${of}: ${advice}`)
  const { writes, queue, storage, search } = price
  const dollars = (usd: number): string =>
    usd.toLocaleString('en', { maximumFractionDigits: usd < 100 ? 2 : 0 })
  io.out(
    `USD a month, on demand, us-east-1: ${dollars(writes + queue + storage + search)} (writes ${dollars(writes)}, ` +
      `SQS ${dollars(queue)}, storage ${dollars(storage)}, search ${dollars(search)}); not Lambda, logs, nor what the handlers do`,
  )
  return code
}
