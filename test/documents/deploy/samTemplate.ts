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
export function samTemplate(edit?: (text: string) => string): Template {
  return read('template.yaml', edit) as Template
}

/** With what waits behind a `#`, in place of the `# ` of words. */
export function uncommented(text: string): string {
  return text.replaceAll(/^( *)#(?! \S)/gm, '$1')
}

function read(file: string, edit = (text: string): string => text): unknown {
  return parseText(edit(readFileSync(join(ROOT, 'examples/deploy/sam', file), 'utf8')))
}
