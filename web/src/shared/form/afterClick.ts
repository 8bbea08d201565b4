let isPressed = false;
const watch = (event: string, pressed: boolean) => window.addEventListener(event, () => void (isPressed = pressed), true);
watch('pointerdown', true);
watch('pointerup', false);
watch('pointercancel', false);

/**
 * Runs at once, or after a pending click: moving the page between press and release would move the target away from the pointer.
 */
export function afterClick(act: () => void) {
  if (!isPressed) return act();
  const ends = ['pointerup', 'pointercancel'];
  const end = () => {
    for (const event of ends) window.removeEventListener(event, end, true);
    setTimeout(act);
  };
  for (const event of ends) window.addEventListener(event, end, true);
}
