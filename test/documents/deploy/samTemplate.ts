import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CollectionTag, parse, type ScalarTag } from 'yaml'
import { ROOT } from '../readme/documents.ts'
import type { Template } from './packaged.ts'

/** The short forms of CloudFormation's functions. */
const TAGS: readonly (ScalarTag | CollectionTag)[] = [
  { tag: '!Ref', resolve: (text: string) => ({ Ref: text }) },
  { tag: '!Sub', resolve: (text: string) => ({ 'Fn::Sub': text }) },
  { tag: '!GetAtt', resolve: (text: string) => ({ 'Fn::GetAtt': text.split('.') }) },
]

export function samTemplate(): Template {
  const text = readFileSync(join(ROOT, 'examples/deploy/sam/template.yaml'), 'utf8')
  return parse(text, { customTags: [...TAGS] }) as Template
}
