/** The page of the list that a message was opened from, for "previous", "next" and "3 of 312". */
type Trail = { ids: string[]; offset: number; total: number; capped: boolean };

let trail: Trail | null = null;
export const leaveTrail = (t: Trail) => {
  trail = t;
};

export function placeOf(id: string) {
  const at = trail?.ids.indexOf(id) ?? -1;
  if (!trail || at < 0) return null;
  return {
    position: trail.offset + at + 1,
    total: trail.total,
    capped: trail.capped,
    previousId: trail.ids[at - 1] ?? null,
    nextId: trail.ids[at + 1] ?? null,
  };
}
