/** For a mapping that no pause of ours has disabled, and no resume enables. @param uuid of the event source mapping */
export function enableCommand(uuid: string): string {
  return `aws lambda update-event-source-mapping --uuid ${uuid} --enabled`
}
