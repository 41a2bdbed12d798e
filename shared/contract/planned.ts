/** Operations that are documented and come with a later release. Calling one answers 501 NOT_IMPLEMENTED naming it. */
export const PLANNED_OPS: readonly string[] = []
