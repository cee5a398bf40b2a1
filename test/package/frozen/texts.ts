import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiReport } from './apiReport.ts'
import { formatList } from './formatList.ts'
import type { Frozen } from './frozen.ts'

export const API: string = join(import.meta.dirname, 'api.txt')
export const FORMATS: string = join(import.meta.dirname, 'formats.txt')

/** @param types the folder of declarations that was built */
export function api(types: string): Frozen {
  const what = 'Names or signatures of the package'
  return { what, section: 'API', held: held(API), text: apiReport(types) }
}

export function formats(): Frozen {
  const what = 'The fields of items or messages (src/library/protocol/store/formats.md)'
  return { what, section: 'Formats', held: held(FORMATS), text: formatList() }
}

export function changelog(): string {
  return readFileSync(join(import.meta.dirname, '../../../CHANGELOG.md'), 'utf8')
}

function held(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
