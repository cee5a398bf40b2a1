import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseText } from '../../../src/tools/doctor/input/parseText.ts'
import { ROOT } from '../readme/documents.ts'
import type { Template } from './packaged.ts'

/** With what `managed.yaml` adds to it. */
export function managedTemplate(): Template {
  const template = samTemplate()
  const added = read('managed.yaml') as Template
  const resources = Object.entries(added.Resources).map(([id, more]) => {
    const { Properties, ...given } = template.Resources[id] ?? {}
    return [id, { ...given, ...more, Properties: { ...Properties, ...more.Properties } }] as const
  })
  return {
    ...template,
    Resources: { ...template.Resources, ...Object.fromEntries(resources) },
  }
}

/** As it is written, with SAM's own types. */
export function samTemplate(): Template {
  return read('template.yaml') as Template
}

function read(file: string): unknown {
  return parseText(readFileSync(join(ROOT, 'examples/deploy/sam', file), 'utf8'))
}
