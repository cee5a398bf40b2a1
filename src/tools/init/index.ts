// @acts

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cdk } from './cdk.ts'
import { readExamples, testedVersions } from './examples.ts'
import { osls } from './osls.ts'
import { codeOf, devInserts, type Addable, projectFiles, type Tool } from './project.ts'
import { sam } from './sam.ts'
import { terraform } from './terraform.ts'
import { namesOf } from './text.ts'
import { obstacleTo, planFiles, type Plan } from './writeFiles.ts'

export { type Plan, writeFiles } from './writeFiles.ts'
export { type Addable, NEXT, NEXT_OF_ADDED } from './project.ts'

export type ToolName = 'sam' | 'terraform' | 'cdk' | 'osls'
const TOOLS: Readonly<Record<ToolName, Tool>> = { sam, terraform, cdk, osls }

/** With one consumer. */
export function newProject(folder: string, tool: ToolName, name: string): Plan {
  const files = projectFiles(TOOLS[tool], readExamples(), testedVersions(), namesOf(name))
  return { files, changed: [], left: [], obstacle: obstacleTo(files, folder) }
}

/** To the project in the folder. @returns what prevents it, or what is to be written */
export function addedTo(folder: string, kind: Addable, name: string): string | Plan {
  const tool = Object.values(TOOLS).find(({ mark }) => existsSync(join(folder, mark)))
  if (tool === undefined) {
    const marks = Object.values(TOOLS).map(({ mark }) => mark)
    return `expected a project of lineclear init, with ${marks.slice(0, -1).join(', ')} or ${marks.at(-1)}`
  }
  const [examples, names] = [readExamples(), namesOf(name)]
  const { files, inserts } = tool.add[kind](examples, names)
  const whole = {
    files: [...codeOf(kind, examples, names), ...files],
    inserts: [...inserts, ...devInserts(kind, examples, names)],
  }
  return planFiles(whole, folder)
}
