import { cdk } from './cdk.ts'
import { readExamples, testedVersions } from './examples.ts'
import { osls } from './osls.ts'
import { projectFiles, type ProjectFile, type Tool } from './project.ts'
import { sam } from './sam.ts'
import { terraform } from './terraform.ts'
import { namesOf } from './text.ts'

export { obstacleTo, writeFiles } from './writeFiles.ts'
export { NEXT, type ProjectFile } from './project.ts'

export type ToolName = 'sam' | 'terraform' | 'cdk' | 'osls'
const TOOLS: Readonly<Record<ToolName, Tool>> = { sam, terraform, cdk, osls }

/** Of a project with one consumer. */
export function filesOf(tool: ToolName, name: string): readonly ProjectFile[] {
  return projectFiles(TOOLS[tool], readExamples(), testedVersions(), namesOf(name))
}
