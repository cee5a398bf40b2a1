import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseText } from '../../../src/tools/doctor/input/parseText.ts'
import { ROOT } from '../readme/documents.ts'
import type { Template } from './packaged.ts'

/** As it is written, with SAM's own types. */
export function samTemplate(): Template {
  const text = readFileSync(join(ROOT, 'examples/deploy/sam/template.yaml'), 'utf8')
  return parseText(text) as Template
}
