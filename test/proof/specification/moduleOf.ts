import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Check } from './checks.ts'

export function textOfModule(name: Check['module']): string {
  return readFileSync(resolve(import.meta.dirname, `${name}.tla`), 'utf8')
}
