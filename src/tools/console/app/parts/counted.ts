/** `1 dead letter`, `2 dead letters`. */
export function counted(number: number, one: string, many: string = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`
}
