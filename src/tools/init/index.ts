// @acts

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cdk } from './cdk.ts'
import { type Examples, readExamples, testedVersions } from './examples.ts'
import { inStyle, withPaths } from './inStyle.ts'
import { osls } from './osls.ts'
import {
  type Addable,
  type Addition,
  codeOf,
  devInserts,
  NEXT,
  NEXT_OF_ADDED,
  nextBeside,
  OWN_FOLDER,
  type ProjectFile,
  projectFiles,
  type Tool,
} from './project.ts'
import { readSigns } from './readSigns.ts'
import { sam } from './sam.ts'
import { styleOf } from './style.ts'
import { idsIn, takenIn } from './taken.ts'
import { terraform } from './terraform.ts'
import { type Names, namesOf } from './text.ts'
import { obstacleTo, planFiles, type Plan } from './writeFiles.ts'

export { type Plan, writeFiles } from './writeFiles.ts'
export { type Addable, NEXT } from './project.ts'

export type ToolName = 'sam' | 'terraform' | 'cdk' | 'osls'
const TOOLS: Readonly<Record<ToolName, Tool>> = { sam, terraform, cdk, osls }

/** With one consumer. */
export function newProject(folder: string, tool: ToolName, name: string): Plan {
  const files = projectFiles(TOOLS[tool], readExamples(), testedVersions(), namesOf(name))
  return { files, changed: [], left: [], next: NEXT, obstacle: obstacleTo(files, folder) }
}

/** To the project in the folder. @returns what prevents it, or what is to be written */
export function addedTo(folder: string, kind: Addable, name: string): string | Plan {
  const tools = Object.values(TOOLS)
  const tool = tools.find(({ knownBy }) => knownBy.some((path) => existsSync(join(folder, path))))
  if (tool === undefined) {
    const marks = tools.map(({ mark }) => mark)
    return `expected a project of SAM, Terraform, the CDK or osls, with ${marks.slice(0, -1).join(', ')} or ${marks.at(-1)}`
  }
  const [examples, names] = [readExamples(), namesOf(name)]
  const signs = readSigns(folder)
  const style = styleOf(signs)
  const added = tool.add[kind](examples, names)
  const code = codeOf(kind, examples, names)
  const isFirst = !existsSync(join(folder, OWN_FOLDER, tool.mark))
  // Pasted, all that it needs is in a file of its author too: the scripts of `init` are not.
  const isOwn =
    isFirst &&
    signs.manifest?.includes(`"doctor": ${JSON.stringify(tool.doctor)}`) === true &&
    hasAll(join(folder, tool.mark), tool.needs)
  const addition = isOwn
    ? {
        files: [...code, ...added.files],
        inserts: [...added.inserts, ...devInserts(kind, examples, names)],
      }
    : besideIt(tool, { ...added, code, examples, names })
  const planned = planFiles(inStyle(addition, style, names), folder)
  if (typeof planned === 'string') return planned
  const ids = idsIn([...added.files, ...added.inserts].map(({ text }) => text))
  const [taken] = takenIn(folder, ids, tool.knownBy)
  if (taken !== undefined) return `${taken.path} has ${taken.id} already: take another name`
  const { assumed } = style
  if (isOwn) return { ...planned, next: NEXT_OF_ADDED, assumed }
  const shared = idsIn(planned.files.map(({ text }) => text)).filter((id) => !ids.includes(id))
  const renaming = takenIn(folder, shared, tool.knownBy).map(
    ({ path, id }) => `. ${path} has ${id} already: give one of the two another name first`,
  )
  const where = isFirst ? tool.paste : tool.pasteMore(added.inserts)
  const paste = withPaths([where, ...renaming].join(''), style, names)
  return { ...planned, next: nextBeside(tool, style, names), paste, assumed }
}

/** Whether additions name nothing that is not in this file. */
function hasAll(path: string, needs: readonly RegExp[]): boolean {
  if (!existsSync(path)) return false
  const text = readFileSync(path, 'utf8')
  return needs.every((each) => each.test(text))
}

interface Added extends Addition {
  readonly code: readonly ProjectFile[]
  readonly examples: Examples
  readonly names: Names
}

/** What no tool reads by itself: `mark` and all that it needs, in a folder of their own. Only the code stands where it belongs. */
function besideIt(tool: Tool, { files, inserts, code, examples, names }: Added): Addition {
  const { mark, moved = (text: string): string => text } = tool
  const inFolder = (path: string): string => `${OWN_FOLDER}/${path}`
  const others = tool
    .files(examples, names)
    .filter(({ path }) => path !== mark && !LEFT.has(path) && !path.includes(names.kebab))
    .map((file) => ({ ...file, shared: true as const }))
  return {
    files: [
      ...code,
      ...[...others, ...files].map((file) =>
        file.path.startsWith('src/')
          ? file
          : { ...file, path: inFolder(file.path), text: moved(file.text, examples) },
      ),
    ],
    inserts: inserts.map((insert) => ({
      ...insert,
      path: inFolder(insert.path),
      text: moved(insert.text, examples),
      base: moved(tool.bare(examples), examples),
    })),
  }
}

/** How the project itself is built and started. */
const LEFT: ReadonlySet<string> = new Set(['build.ts', 'cdk.json'])
