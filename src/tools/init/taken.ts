// @acts

import { type Dirent, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { OWN_FOLDER } from './project.ts'
import { readText } from './readSigns.ts'

/** Logical ids of resources, and names of functions. */
export function idsIn(texts: readonly string[]): readonly string[] {
  const each = /(?<=^ {2})(?:[A-Z]\w*(?=:$)|\w+(?=:\n {4}handler:))/gm
  return texts.flatMap((text) => text.match(each) ?? [])
}

/**
 * Those that files of its author have: of two resources with one id, the last would take the place of the other.
 * @param ofTool names of the files in which functions stand
 */
export function takenIn(
  folder: string,
  ids: readonly string[],
  ofTool: readonly string[],
): readonly { readonly path: string; readonly id: string }[] {
  return templatesIn(folder, ofTool).flatMap((file) => {
    const path = relative(folder, file)
    const text = (readText(file) ?? '').replaceAll(/^\s*(?:#|\/\/).*$/gm, '')
    return ids
      .filter((id) => /^[A-Z]/.test(id) || ofTool.includes(path))
      .filter((id) => new RegExp(`(?<=^|[\\s{,"'])${id}["']?\\s*:`, 'm').test(text))
      .map((id) => ({ path, id }))
  })
}

/** Its templates may include others. Links are not followed: they can lead out of the project. */
function templatesIn(folder: string, ofTool: readonly string[], depth = 0): readonly string[] {
  return entriesOf(folder).flatMap((each) => {
    const path = join(folder, each.name)
    if (each.isFile()) {
      return /\.ya?ml$/.test(each.name) || (depth === 0 && ofTool.includes(each.name)) ? [path] : []
    }
    const isLeft = depth === 3 || !each.isDirectory() || /^(?:\.|node_modules$)/.test(each.name)
    return isLeft || (depth === 0 && each.name === OWN_FOLDER)
      ? []
      : templatesIn(path, ofTool, depth + 1)
  })
}

/** What cannot be read has nothing of a template. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
