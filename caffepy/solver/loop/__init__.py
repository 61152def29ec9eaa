"""What the loop works with: loss, speed, signals, observers, the other ranks."""
