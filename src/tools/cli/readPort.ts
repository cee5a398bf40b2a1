import { UsageError } from './usageError.ts'

/** @throws UsageError */
export function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port > 0 && port < 65_536) return port
  throw new UsageError(`--port: expected a number from 1 to 65535, got ${JSON.stringify(text)}`)
}
